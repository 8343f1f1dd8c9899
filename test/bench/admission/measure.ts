import { once } from "node:events";
import { Agent, createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { silentLogger, silentMetrics } from "@kintsugi/api";
import { type ApiServerDeps, createApiServer } from "@kintsugi/api-server/factory";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createAuthority } from "@kintsugi/pki";
import { MemoryStore } from "@kintsugi/store/simulated";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";

type Transport = NonNullable<ApiServerDeps["webhookTransport"]>;

const maps = "/api/v1/namespaces/default/configmaps";
const registration = "/apis/admissionregistration.k8s.io/v1";
const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];

const quota = {
  path: "/api/v1/namespaces/default/resourcequotas",
  object: { metadata: { name: "many" }, spec: { hard: { "count/configmaps": "1000000" } } },
};
const policy = {
  path: `${registration}/validatingadmissionpolicies`,
  object: {
    metadata: { name: "short" },
    spec: {
      matchConstraints: { resourceRules: rules },
      validations: [{ expression: "!has(object.data) || object.data.all(key, size(object.data[key]) < 1000)" }],
    },
  },
};
const binding = {
  path: `${registration}/validatingadmissionpolicybindings`,
  object: { metadata: { name: "short" }, spec: { policyName: "short", validationActions: ["Deny"] } },
};
const webhook = {
  path: `${registration}/validatingwebhookconfigurations`,
  object: {
    metadata: { name: "hook" },
    webhooks: [
      {
        name: "hook.example.com",
        clientConfig: { url: "https://localhost/judge" },
        rules,
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  },
};

const cases: Readonly<Record<string, readonly { path: string; object: object }[]>> = {
  nothing: [],
  quota: [quota],
  policy: [policy, binding],
  webhook: [webhook],
  "quota, policy and webhook": [quota, policy, binding, webhook],
};

/** Each case runs in several turns, so that a busy machine affects all cases. */
const turns = 20;

/**
 * Measures the cost of creating a ConfigMap with and without admission that users configure.
 * Everything runs in one process, with the store in memory. The webhook is a server on this host
 * that answers immediately over TLS, on persistent connections.
 */
export async function measureAdmission(creates: number): Promise<Figure[]> {
  await using hook = await startWebhook();
  const running = await Promise.all(
    Object.entries(cases).map(async ([name, objects]) => {
      const server = await start(hook.transport);
      for (const { path, object } of objects) await server.send(path, object);
      return { name, server, samples: [] as number[] };
    }),
  );
  let serial = 0;
  const each = Math.ceil(creates / turns);
  // The first turn is not counted, because every case has to be compiled.
  for (let turn = 0; turn <= turns; turn++)
    for (const { server, samples } of running)
      for (let index = 0; index < each; index++) {
        const startMs = performance.now();
        await server.send(maps, { metadata: { name: `map-${serial++}` }, data: { key: "value" } });
        if (turn > 0) samples.push(performance.now() - startMs);
      }
  for (const { server } of running) await server.stop();
  return running.map(({ name, samples }) => {
    const { p50, p99, count } = describeSamples(samples);
    return {
      id: `admission.${name.replaceAll(/[ ,]+/g, "-")}`,
      what: `create of a ConfigMap, with ${name}`,
      value: p50,
      unit: "ms",
      detail: `p50 of ${count}; p99 ${p99.toFixed(2)} ms`,
    };
  });
}

async function start(webhookTransport: Transport) {
  const store = new MemoryStore({ clock: systemClock });
  const deps = { store, clock: systemClock, random: systemRandom, log: silentLogger, metrics: silentMetrics };
  const server = createApiServer({ ...deps, webhookTransport });
  const stop = new AbortController();
  const running = server.run(stop.signal);
  await server.ready;
  return {
    async send(path: string, body: object): Promise<void> {
      const answer = await server.handle({
        method: "POST",
        path,
        headers: { "user-agent": "bench", "content-type": "application/json" },
        body: Buffer.from(JSON.stringify(body)),
        identity: { name: "admin", groups: ["system:masters"] },
        signal: stop.signal,
      });
      if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status}`);
    },
    async stop(): Promise<void> {
      stop.abort();
      await running;
    },
  };
}

/** A webhook that allows everything, and its address. */
async function startWebhook(): Promise<AsyncDisposable & { transport: Transport }> {
  const authority = await createAuthority({ clock: systemClock, random: systemRandom }, "bench");
  const { certificate: cert, key } = await authority.issue({
    commonName: "localhost",
    usages: ["server"],
    dnsNames: ["localhost"],
  });
  const server = createServer({ cert, key }, (asked, answer) => {
    const chunks: Buffer[] = [];
    asked.on("data", (chunk: Buffer) => chunks.push(chunk));
    asked.on("end", () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as { request: { uid: string } };
      const response = { uid: review.request.uid, allowed: true };
      answer.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, ca: authority.certificate });
  const post: Transport["post"] = (_target, body, signal) =>
    new Promise((resolve, reject) => {
      const sent = request({ host: "localhost", port, method: "POST", path: "/judge", agent, signal }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      });
      sent.once("error", reject);
      sent.end(body);
    });
  return {
    transport: { post },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
