"""Runs with `python3 clients/python/test_kintsugi_testing.py`: $KINTSUGI is the program, kintsugi by default."""

import json
import unittest
import urllib.request

from kintsugi_testing import Cluster, ClusterError


def create_config_map(cluster, name):
    request = urllib.request.Request(
        f"{cluster.server}/api/v1/namespaces/default/configmaps",
        method="POST",
        data=json.dumps({"metadata": {"name": name}}).encode(),
        headers={"Authorization": f"Bearer {cluster._token}", "Content-Type": "application/json"},
    )
    return urllib.request.urlopen(request, context=cluster._tls)


class ClusterOfATest(unittest.TestCase):
    def test_moves_its_clock_loses_a_node_and_goes_back_to_a_mark(self):
        with Cluster(nodes=2) as cluster:
            start = cluster.mark()
            create_config_map(cluster, "first").close()
            with cluster.fault("kill-node", "node-1"):
                cluster.advance_until(
                    "object.status.conditions.exists(c, c.type == 'Ready' && c.status == 'Unknown')",
                    resource="nodes", name="node-1", namespace=None, at_most="5m",
                )
            self.assertTrue(cluster.advance("1m")["settled"])
            self.assertEqual(cluster.reset(start)["removed"] > 0, True)
            create_config_map(cluster, "first").close()
            with self.assertRaisesRegex(ClusterError, "no target"):
                cluster.call_fault("kill-node", "node-9")
            with self.assertRaisesRegex(ClusterError, "did not come true within 1m"):
                cluster.advance_until("false", resource="nodes", name="node-1", namespace=None, at_most="1m")


if __name__ == "__main__":
    unittest.main()
