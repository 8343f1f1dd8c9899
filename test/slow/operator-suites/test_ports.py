"""The suite of the operator of ports, with unittest. PORTS_BUG=1 plants its bug."""

import os
import time
import unittest

from kintsugi_testing import Cluster
from kubernetes import client, config
from ports_operator import GROUP, NAMESPACE, PLURAL, VERSION, PortsOperator

IS_CAREFUL = os.environ.get("PORTS_BUG") != "1"
SEEDS = int(os.environ.get("SEEDS", "50"))
NAMES = ["a", "b", "c"]
WAIT_SECONDS_MAX = 30


class PortsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(nodes=0)
        cls.addClassCleanup(cls.cluster.stop)
        cls.api_client = config.new_client_from_config(cls.cluster.kubeconfig)
        # The operator's requests are told from the suite's by their user agent.
        cls.operator_client = config.new_client_from_config(cls.cluster.kubeconfig)
        cls.operator_client.user_agent = "ports-operator"
        cls.core, cls.custom = client.CoreV1Api(cls.api_client), client.CustomObjectsApi(cls.api_client)
        schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
        version = {"name": VERSION, "served": True, "storage": True, "schema": schema, "subresources": {"status": {}}}
        client.ApiextensionsV1Api(cls.api_client).create_custom_resource_definition(
            {
                "metadata": {"name": f"{PLURAL}.{GROUP}"},
                "spec": {
                    "group": GROUP,
                    "scope": "Namespaced",
                    "names": {"plural": PLURAL, "kind": "PortClaim"},
                    "versions": [version],
                },
            }
        )
        cls.cluster.advance("5s")
        cls.start = cls.cluster.mark("start")

    def create(self, name):
        body = {"apiVersion": f"{GROUP}/{VERSION}", "kind": "PortClaim", "metadata": {"name": name}, "spec": {}}
        self.custom.create_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, body)

    def ports(self):
        claims = self.custom.list_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL)["items"]
        return {claim["metadata"]["name"]: claim.get("status", {}).get("port") for claim in claims}

    def until(self, what, holds):
        end = time.monotonic() + WAIT_SECONDS_MAX
        while not holds():
            self.assertLess(time.monotonic(), end, f"{what}: not within {WAIT_SECONDS_MAX} s")
            time.sleep(0.005)

    def test_each_claim_has_a_port_of_its_own(self):
        writes = {"userAgent": "ports-operator", "verb": "write", "share": 0.25, "doneShare": 0.5}
        # A run that fails leaves its claims for no other test.
        self.addCleanup(self.cluster.reset, self.start)
        refused = 0
        for seed in range(1, SEEDS + 1):
            stale = {"userAgent": "ports-operator", "resource": PLURAL}
            with self.cluster.fault("api-refuses", settings=writes, seed=seed):
                operator = PortsOperator(self.operator_client, is_careful=IS_CAREFUL).start()
                try:
                    self.create(NAMES[0])
                    self.until("the first claim has a port", lambda: self.ports()["a"] is not None)
                    for name in NAMES[1:]:
                        self.create(name)
                    with self.cluster.fault("api-serves-stale-lists", settings=stale, seed=seed):
                        time.sleep(0.03)
                    self.cluster.advance("10m")
                    self.until(f"seed {seed}: all have ports", lambda: None not in self.ports().values())
                finally:
                    operator.stop()
            refused += sum("a fault that a test has requested" in each for each in operator.failures)
            ports = self.ports()
            self.assertEqual(len(set(ports.values())), len(NAMES), f"seed {seed}: two claims have one port: {ports}")
            self.cluster.reset(self.start)
        self.assertGreaterEqual(refused, SEEDS, "writes were refused too seldom")

    def test_what_a_claim_owns_goes_with_it(self):
        operator = PortsOperator(self.operator_client, is_careful=IS_CAREFUL).start()
        self.addCleanup(lambda: self.cluster.reset(self.start))
        self.addCleanup(operator.stop)
        self.create("a")
        names = lambda: [each.metadata.name for each in self.core.list_namespaced_config_map(NAMESPACE).items]
        self.until("the claim has its ConfigMap", lambda: "port-a" in names())
        self.custom.delete_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, "a")
        self.cluster.advance("1m")
        self.assertNotIn("port-a", names())


if __name__ == "__main__":
    unittest.main()
