// The suite of the ledger's operator, with node:test. LEDGER_BUG=1 plants its bug.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { kindNamed, kinds, startCluster } from "kintsugi/testing";
import { LedgerOperator, OneConnection, orders } from "./ledger-operator.mjs";

const order = kindNamed({
  apiVersion: `${orders.group}/${orders.version}`,
  kind: "Order",
  plural: orders.plural,
});
const namespace = "default";
const isCareful = process.env.LEDGER_BUG !== "1";
const seeds = Number(process.env.SEEDS ?? "50");
const names = ["a", "b", "c"];
/** The User-Agent of the client's second major version; the suite's own client has another. */
const operatorAgent = "kubernetes-client-javascript";

let cluster;
let config;
let start;
/** The operator's writes that were refused on purpose. */
let refused = 0;

before(async () => {
  cluster = await startCluster({ nodes: 0 });
  config = new OneConnection();
  config.loadFromFile(cluster.kubeconfig);
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const version = { name: orders.version, served: true, storage: true, schema, subresources: { status: {} } };
  await cluster.client.create(kinds.customresourcedefinitions, {
    metadata: { name: `${orders.plural}.${orders.group}` },
    spec: {
      group: orders.group,
      scope: "Namespaced",
      names: { plural: orders.plural, kind: "Order" },
      versions: [version],
    },
  });
  await cluster.clock.advanceUntil(
    () =>
      cluster.client.list(order).then(
        () => true,
        () => false,
      ),
    { atMost: "1m" },
  );
  start = cluster.mark("start");
});

after(() => cluster?.stop());

function live(identity) {
  const end = new AbortController();
  const onError = ({ body = "" }) => {
    if (String(body).includes("a fault that a test has requested")) refused++;
  };
  const done = new LedgerOperator(config, { identity, isCareful, onError }).run(end.signal);
  return { kill: () => (end.abort(), done) };
}

const isCounted = async () =>
  (await cluster.client.list(order, { namespace })).items.every(({ status }) => status?.counted);

async function until(what, holds) {
  const startMs = performance.now();
  while (!(await holds())) {
    assert(performance.now() - startMs < 30_000, `${what}: not within 30 s`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

void test(`each order is counted once, in ${seeds} runs with faults and restarts`, async () => {
  for (let seed = 1; seed <= seeds; seed++) {
    const faults = { userAgent: operatorAgent, verb: "write", share: 0.25, doneShare: 0.5 };
    const fault = await cluster.faults.call("api-refuses", { with: faults, seed });
    let operator = live(`one-${seed}`);
    for (const name of names) await cluster.client.create(order, { metadata: { namespace, name }, spec: {} });
    await new Promise((done) => setTimeout(done, (seed * 7) % 60));
    await operator.kill();
    operator = live(`two-${seed}`);
    try {
      await cluster.clock.advance("10m");
      await until(`seed ${seed}: all orders are counted`, isCounted);
    } finally {
      await operator.kill();
      await fault.undo();
    }
    const ledger = await cluster.client.get(kinds.configmaps, { namespace, name: "ledger" });
    await cluster.reset(start);
    assert.equal(
      ledger.data.total,
      String(names.length),
      `seed ${seed}: ${names.length} orders, and the ledger has ${ledger.data.total}`,
    );
  }
  assert(refused >= seeds, `${refused} writes were refused in ${seeds} runs`);
});

void test("only one of two instances leads", async () => {
  const instances = [live("one"), live("other")];
  const [one, other] = instances;
  try {
    for (const name of names) await cluster.client.create(order, { metadata: { namespace, name }, spec: {} });
    await until("all orders are counted", isCounted);
    const { holderIdentity } = (await cluster.client.get(kinds.leases, { namespace, name: "ledger-operator" })).spec;
    await (holderIdentity === "one" ? one : other).kill();
    await cluster.client.create(order, { metadata: { namespace, name: "late" }, spec: {} });
    await until("the other instance counts", isCounted);
  } finally {
    // An operator that keeps running keeps the process of a failed suite alive.
    await Promise.all(instances.map((instance) => instance.kill()));
    await cluster.reset(start);
  }
});
