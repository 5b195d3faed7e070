class Gofer < Formula
  desc "Terminal browser for Gopher, FTP and Usenet news"
  homepage "@URL@"
  url "@URL@/gofer-@NUMBER@-src.tar.gz"
  version "@NUMBER@"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "go" => :build

  def install
    ENV["CGO_ENABLED"] = "0"
    ENV["GOFLAGS"] = "-mod=vendor -trimpath -buildvcs=false"
    system "go", "build", *std_go_args(ldflags: "-s -w -X main.version=@VERSION@ -X main.commit=@COMMIT@"), "."
    mkdir "man"
    system "go", "run", "-ldflags", "-X main.version=@VERSION@", "./internal/testbed/mandoc", "man"
    man1.install Dir["man/*.1"]
    man7.install Dir["man/*.7"]
    generate_completions_from_executable(bin/"gofer", "completion")
    doc.install Dir["*.md"]
    (doc/"docs").install Dir["docs/*.md"], "docs/screens"
    pkgshare.install "docs/licenses.txt"
  end

  test do
    assert_match "@VERSION@", shell_output("#{bin}/gofer --version")
    assert_match "URL", shell_output("#{bin}/gofer dump about:home")
  end
end
