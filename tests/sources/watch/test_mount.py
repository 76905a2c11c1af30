from pathlib import Path

import pytest

from agentview.sources.watch.polling import announces_changes

MOUNTS = r"""/dev/sda1 / ext4 rw,relatime 0 0
proc /proc proc rw 0 0
C:\134 /mnt/c 9p rw,dirsync,aname=drvfs 0 0
server:/home /home/ann nfs4 rw,vers=4.2 0 0
/dev/sdb1 /home/ann/local ext4 rw 0 0
ann@host: /mnt/remote\040host fuse.sshfs rw 0 0
/dev/sdc1 /media/stick fuseblk rw 0 0
//server/share /srv/hidden cifs rw 0 0
tmpfs /srv/hidden tmpfs rw 0 0
overlay /var/lib/image overlay rw 0 0
broken
"""


@pytest.mark.parametrize(
    ("path", "announced"),
    [
        ("/home/bob/.x/session.jsonl", True),
        ("/mnt/c/Users/ann/session.jsonl", False),
        ("/mnt/cellar/session.jsonl", True),
        ("/home/ann", False),
        ("/home/ann/.x/not/yet/there.jsonl", False),
        ("/home/ann/local/session.jsonl", True),
        ("/home/annette/session.jsonl", True),
        ("/mnt/remote host/session.jsonl", False),
        ("/media/stick/session.jsonl", True),
        ("/srv/hidden/session.jsonl", True),
        ("/var/lib/image/session.jsonl", True),
    ],
)
def test_changes_are_announced_on_local_file_systems_only(path: str, announced: bool) -> None:
    assert announces_changes(Path(path), MOUNTS) is announced


def test_a_system_without_a_mount_table_is_taken_to_announce() -> None:
    assert announces_changes(Path("/home/ann"), "")


def test_the_root_of_this_machine_announces() -> None:
    assert announces_changes(Path("/"))
