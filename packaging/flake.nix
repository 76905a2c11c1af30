{
  description = "Watch and read the session logs of coding agents in the terminal";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      project = (builtins.fromTOML (builtins.readFile ../pyproject.toml)).project;
      version = builtins.head (builtins.match ".*__version__ = \"([^\"]+)\".*"
        (builtins.readFile ../agentview/__init__.py));
      nameOf = line: builtins.replaceStrings [ "." ] [ "-" ]
        (builtins.head (builtins.match "([A-Za-z0-9._-]+).*" line));
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in {
      packages = each (pkgs: {
        default = pkgs.python313Packages.buildPythonApplication {
          pname = "agentview";
          inherit version;
          pyproject = true;
          src = ../.;
          build-system = [ pkgs.python313Packages.hatchling ];
          dependencies = map (line: pkgs.python313Packages.${nameOf line}) project.dependencies;
          pythonRelaxDeps = true;
          doCheck = false;
          pythonImportsCheck = [ "agentview.api" ];
        };
      });
    };
}
