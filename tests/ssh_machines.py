"""Other machines: servers of OpenSSH on this one, each with a home of its own."""

import os
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.patience import PATIENCE

SERVER = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
CLIENT = shutil.which("ssh")


class SshMachines:
    """Starts servers, of which `ssh` in the directory `programs` knows the keys."""

    def __init__(self, folder: Path) -> None:
        """Skip the test without OpenSSH."""
        if SERVER is None or CLIENT is None:
            pytest.skip("needs OpenSSH: apt-get install openssh-server openssh-client")
        self.programs = folder / "bin"
        self._keys = folder / "keys"
        self._keys.mkdir(mode=0o700)
        for name in ("host", "user"):
            subprocess.run(
                ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self._keys / name], check=True
            )
        self.programs.mkdir()
        client = self.programs / "ssh"
        client.write_text(
            f"#!/bin/sh\nexec {CLIENT} -F /dev/null -i {self._keys}/user "
            f'-o UserKnownHostsFile={self._keys}/known -o BatchMode=yes "$@"\n'
        )
        client.chmod(0o755)
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        self._servers: dict[int, subprocess.Popen[bytes]] = {}

    def start(self, home: Path | str, port: int | None = None) -> int:
        """Start a server; gives its port."""
        if port is None:
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = int(free.getsockname()[1])
        config = self._keys / f"sshd_config_{port}"
        config.write_text(
            f"HostKey {self._keys}/host\nAuthorizedKeysFile {self._keys}/user.pub\n"
            f"StrictModes no\nUsePAM no\nPidFile none\nListenAddress 127.0.0.1\nPort {port}\n"
            f"PasswordAuthentication no\nPermitRootLogin yes\nSetEnv HOME={home} TZ=UTC\n"
        )
        known = " ".join((self._keys / "host.pub").read_text().split()[:2])
        with (self._keys / "known").open("a") as file:
            file.write(f"[127.0.0.1]:{port} {known}\n")
        server = subprocess.Popen(
            [str(SERVER), "-D", "-e", "-f", config], stderr=subprocess.DEVNULL
        )
        self._servers[port] = server
        deadline = time.monotonic() + PATIENCE
        while socket.socket().connect_ex(("127.0.0.1", port)):
            assert server.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        return port

    def close(self) -> None:
        """End the servers."""
        for port in tuple(self._servers):
            self.stop(port)

    def stop(self, port: int) -> None:
        """End the server of a port; its connections stay."""
        server = self._servers.pop(port)
        with suppress(ProcessLookupError):
            server.terminate()
        server.wait()
