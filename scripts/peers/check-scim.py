"""Checks a SCIM server with scim2-tester. The address and the token come from the environment."""

import os
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

client = SyncSCIMClient(
    Client(
        base_url=os.environ["SCIM_URL"],
        headers={"Authorization": f"Bearer {os.environ['SCIM_TOKEN']}"},
        timeout=60,
    )
)
results = check_server(client)
failed = [one for one in results if one.status in (Status.ERROR, Status.CRITICAL)]
deviations = [one for one in results if one.status is Status.DEVIATION]
for one in [*failed, *deviations]:
    print(f"{one.status.name}: {one.title} ({one.resource_type}): {one.reason}")
skipped = sum(one.status is Status.SKIPPED for one in results)
print(f"{len(results) - len(failed) - skipped} checks passed, {len(failed)} failed, {skipped} skipped")
sys.exit(1 if failed or len(results) == skipped else 0)
