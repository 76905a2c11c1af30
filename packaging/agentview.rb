class Agentview < Formula
  include Language::Python::Virtualenv

  desc "Watch and read the session logs of coding agents in the terminal"
  url "@SOURCE@"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "python@3.13"

  def install
    virtualenv_create(libexec, "python3.13")
    system libexec/"bin/python", "-m", "pip", "install", "--no-compile", "#{buildpath}[mcp]"
    bin.install_symlink libexec/"bin/agentview"
    (man1/"agentview.1").write Utils.safe_popen_read(bin/"agentview", "help", "--man")
    generate_completions_from_executable(bin/"agentview", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/agentview --version")
  end
end
