# nix-build -E 'with import <nixpkgs> {}; callPackage ./gofer.nix {}'
{ lib, buildGoModule, fetchurl, installShellFiles }:

buildGoModule {
  pname = "gofer";
  version = "@NUMBER@";

  src = fetchurl {
    url = "@URL@/gofer-@NUMBER@-src.tar.gz";
    sha256 = "@SHA256@";
  };
  vendorHash = null; # the modules are in the archive

  env.CGO_ENABLED = 0;
  ldflags = [ "-s" "-w" "-X main.version=@VERSION@" "-X main.commit=@COMMIT@" ];
  subPackages = [ "." ];
  doCheck = false; # the tests need servers on loopback

  nativeBuildInputs = [ installShellFiles ];
  postInstall = ''
    mkdir man
    go run -ldflags "-X main.version=@VERSION@" ./internal/testbed/mandoc man
    installManPage man/*
    for shell in bash zsh fish; do
      installShellCompletion --cmd gofer --$shell <($out/bin/gofer completion $shell)
    done
    install -Dm644 .ci/gofer.desktop -t $out/share/applications
    install -Dm644 *.md -t $out/share/doc/gofer
    install -Dm644 docs/*.md -t $out/share/doc/gofer/docs
    install -Dm644 docs/screens/*.svg -t $out/share/doc/gofer/docs/screens
    install -Dm644 docs/licenses.txt $out/share/licenses/gofer/LICENSES.txt
  '';

  meta = {
    description = "Terminal browser for Gopher, FTP and Usenet news";
    homepage = "@URL@";
    license = lib.licenses.mit;
    mainProgram = "gofer";
  };
}
