import { leases } from "@kintsugi/api";
import { createHttpClient } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { listens, readIdentity } from "@kintsugi/lab";
import { expect, test } from "vitest";
import { prepareApiServer } from "../support/servers/api-server-process.ts";

test("during its first start an API server never denies a request that the initial roles allow", async () => {
  await using server = await prepareApiServer();
  const access = { server: server.access.server, ...(await readIdentity(server.pki, "scheduler")) };
  const deps = { clock: systemClock, random: systemRandom };
  const scheduler = createHttpClient(deps, { ...access, userAgent: "kintsugi-test" });
  const started = server.start();
  const { hostname: host, port } = new URL(access.server);
  while (!(await listens({ host, port: Number(port) }))) await systemClock.sleep(1);
  // A rejected scheduler would wait two seconds or more before it tries to lead again.
  const answer = await scheduler.find(leases, { namespace: "kube-system", name: "kube-scheduler" });
  expect(answer).toBeUndefined();
  await started;
  await scheduler.close();
});
