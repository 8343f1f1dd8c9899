import { cpuMillicores, type Pod, isPodTerminal } from "@kintsugi/api";
import { SeededRandom } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";

const podsPath = "/api/v1/namespaces/default/pods";
const quotasPath = "/api/v1/namespaces/default/resourcequotas";
const limitMillicores = 2000;

function aPod(name: string, millicores: number): object {
  const resources = { requests: { cpu: `${millicores}m` } };
  return { metadata: { name }, spec: { containers: [{ name: "c", image: "i", resources }] } };
}

/** The millicores in use according to the API's own list. */
async function listedMillicores(server: TestServer): Promise<number> {
  const { json } = await server.get(podsPath);
  const running = (json.items as Pod[]).filter((pod) => !isPodTerminal(pod));
  const requests = running.map(({ spec }) => cpuMillicores(spec?.containers?.[0]?.resources?.requests?.["cpu"]));
  return requests.reduce((sum, each) => sum + each, 0);
}

/** One write of a run. Most writes are creates, and names are reused. */
function anyWrite(server: TestServer, random: SeededRandom): Promise<{ status: number }> {
  const path = `${podsPath}/p${random.integer(12)}`;
  const create = (query: string) =>
    server.post(`${podsPath}${query}`, aPod(path.slice(podsPath.length + 1), 1 + random.integer(900)));
  switch (random.integer(6)) {
    case 0:
      return server.delete(`${path}?gracePeriodSeconds=0`);
    case 1:
      return server.patch(`${path}/status`, { status: { phase: "Succeeded" } });
    case 2:
      return create("?dryRun=All");
    case 3:
      return server.patch(`${quotasPath}/q`, { metadata: { labels: { round: `${random.integer(9)}` } } });
    default:
      return create("");
  }
}

test.each([1, 2, 3, 4, 5, 6])("in run %i the quota is never exceeded, and all of it can be used", async (seed) => {
  await using server = await TestServer.start();
  // Every second run has a store in which other writers write first.
  if (seed % 2 === 0) server.store.decideTwice();
  const random = new SeededRandom(seed);
  await server.post(quotasPath, { metadata: { name: "q" }, spec: { hard: { "requests.cpu": `${limitMillicores}m` } } });
  let refusals = 0;
  for (let round = 0; round < 25; round++) {
    const answers = await Promise.all(Array.from({ length: 1 + random.integer(16) }, () => anyWrite(server, random)));
    refusals += answers.filter(({ status }) => status === 403).length;
    const left = limitMillicores - (await listedMillicores(server));
    expect(left).toBeGreaterThanOrEqual(0);
    const probe = async (millicores: number) =>
      millicores === 0 ? 201 : (await server.post(`${podsPath}?dryRun=All`, aPod("probe", millicores))).status;
    expect([await probe(left), await probe(left + 1)]).toEqual([201, 403]);
  }
  expect(refusals).toBeGreaterThan(0);
});
