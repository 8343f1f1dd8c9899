import { forbidden } from "@kintsugi/api";
import { expect, test } from "vitest";
import { aGate, anAsyncStep, type StepGate, isOfTest, recordingStep } from "../testing/async-steps.ts";
import { podsPath, TestServer } from "../testing/test-server.ts";
import { allCalls, changingCalls, mapsPath, prepareWrites } from "../testing/write-calls.ts";
import type { AdmissionRequest, AnyAdmissionStep } from "./admission.ts";

async function startWith(...admissionSteps: AnyAdmissionStep[]): Promise<TestServer> {
  const server = await TestServer.start({}, { admissionSteps });
  await prepareWrites(server);
  return server;
}

/** A step that does its work only after the test has switched it on, once the objects exist. */
function switched(work: (request: AdmissionRequest, signal: AbortSignal) => Promise<undefined>) {
  const state = { on: false };
  const { step, seen } = recordingStep(async (request, signal) => (state.on ? work(request, signal) : undefined));
  return { step, seen, state };
}

const everything = async (server: TestServer) => (await server.get(mapsPath)).json.items;

test.each(changingCalls)(
  "later steps see a mutation, and the store receives it: $verb",
  async ({ operation, subresource, send }) => {
    const marking = anAsyncStep({
      name: "Marking",
      mutateAsync: async ({ object }) => {
        if (object !== undefined) object.metadata.labels = { ...object.metadata.labels, marked: "yes" };
        return undefined;
      },
    });
    const { step, seen } = recordingStep();
    await using server = await startWith(marking, step);
    seen.length = 0;
    const answer = await send(server);
    expect([200, 201]).toContain(answer.status);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ operation, subresource: subresource ?? "", dryRun: false });
    expect(seen[0]?.object?.metadata.labels).toEqual({ marked: "yes" });
    expect(seen[0]?.before === undefined).toBe(operation === "create");
    expect(answer.json.metadata.labels).toEqual({ marked: "yes" });
  },
);

test.each(allCalls)(
  "a step's refusal is returned to the client, and nothing is written: $verb",
  async ({ operation, subresource, send }) => {
    const state = { on: false };
    const refusing = anAsyncStep({
      validateAsync: async (request) =>
        state.on && isOfTest(request) ? forbidden(request.resource.type, request.name, "not today") : undefined,
    });
    const { step, seen } = recordingStep();
    await using server = await startWith(step, refusing);
    [seen.length, state.on] = [0, true];
    const before = server.store.revision();
    const answer = await send(server);
    expect(answer.status).toBe(403);
    expect(answer.json.message).toContain("is forbidden: not today");
    expect(seen.map((each) => [each.operation, each.subresource])).toEqual([[operation, subresource ?? ""]]);
    expect(server.store.revision()).toBe(before);
  },
);

test.each(allCalls)("a step that fails is an internal error, and nothing is written: $verb", async ({ send }) => {
  const { step, state } = switched(() => Promise.reject(new Error("no route to host")));
  await using server = await startWith(step);
  state.on = true;
  const before = server.store.revision();
  const answer = await send(server);
  expect([answer.status, answer.json.reason, answer.json.message]).toEqual([
    500,
    "InternalError",
    'Internal error occurred: admission plugin "Waiting" failed: no route to host',
  ]);
  expect(server.store.revision()).toBe(before);
});

test.each(allCalls)("the server waits for a slow step until the request times out: $verb", async ({ send }) => {
  let until = aGate();
  let signal: AbortSignal | undefined;
  const { step, state } = switched((_, stop) => {
    signal = stop;
    return until.opened;
  });
  await using server = await startWith(step);
  state.on = true;
  const before = server.store.revision();
  const late = send(server);
  await server.clock.advance(10_000);
  expect((await late).json.message).toBe(
    'Internal error occurred: admission plugin "Waiting" failed to complete validation in 10s',
  );
  expect((await late).status).toBe(500);
  expect(signal?.aborted).toBe(true);
  expect(server.store.revision()).toBe(before);
  until.open();
  until = aGate();
  const inTime = send(server);
  await server.clock.advance(9_000);
  expect(server.store.revision()).toBe(before);
  until.open();
  expect([200, 201]).toContain((await inTime).status);
  expect(server.store.revision()).toBeGreaterThan(before);
});

test("a mutated object is parsed by the schema and filled with defaults", async () => {
  let change: (object: never) => void = () => {};
  const step = anAsyncStep({
    name: "Changing",
    mutateAsync: async (request) => {
      if (isOfTest(request)) change(request.object as never);
      return undefined;
    },
  });
  await using server = await startWith(step);
  const post = (name: string) =>
    server.post(podsPath, { metadata: { name }, spec: { containers: [{ name: "a", image: "b" }] } });
  change = ({ spec }: { spec: { containers: object[] } }) => spec.containers.push({ name: "side", image: "car" });
  const { containers } = (await post("a")).json.spec;
  expect(containers[1]).toMatchObject({ name: "side", terminationMessagePolicy: "File" });
  change = ({ spec }: { spec: { containers: unknown } }) => (spec.containers = "none");
  expect((await post("b")).status).toBe(500);
  change = ({ metadata }: { metadata: { name: string } }) => (metadata.name = "other");
  expect((await post("c")).json.message).toContain("metadata.name was changed from c to other");
  change = ({ spec }: { spec: { containers: { image: string }[] } }) => spec.containers.splice(0);
  expect((await post("d")).json).toMatchObject({ code: 422, reason: "Invalid" });
});

test("an object that a step returns replaces the object that the step received", async () => {
  const step = anAsyncStep({
    mutateAsync: async (request) =>
      request.object && { ...request.object, metadata: { ...request.object.metadata, annotations: { by: "step" } } },
  });
  await using server = await startWith(step);
  expect((await server.get(`${mapsPath}/here`)).json.metadata.annotations).toEqual({ by: "step" });
});

test("a dry run is reported to the steps and does not write", async () => {
  const { step, seen } = recordingStep();
  await using server = await startWith(step);
  seen.length = 0;
  const before = server.store.revision();
  const answers = [
    await server.post(`${mapsPath}?dryRun=All`, { metadata: { name: "new" } }),
    await server.patch(`${mapsPath}/here?dryRun=All`, { data: { a: "3" } }),
    await server.delete(`${mapsPath}/here?dryRun=All`),
    await server.post(`${podsPath}/web/eviction`, { metadata: { name: "web" }, deleteOptions: { dryRun: ["All"] } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 201]);
  expect(seen.map(({ dryRun }) => dryRun)).toEqual([true, true, true, true]);
  expect(server.store.revision()).toBe(before);
});

test("a step handles only the operations, resources and subresources that it names", async () => {
  const { step, seen } = recordingStep();
  const handles = {
    operations: ["update"],
    resources: [{ group: "", resource: "pods" }],
    subresources: ["status"],
  } as const;
  const concerns = { now: true };
  await using server = await startWith({ ...step, handles, concerns: () => concerns.now });
  for (const { send } of allCalls) await send(server);
  expect(seen.map(({ resource, subresource }) => `${resource.type.resource}/${subresource}`)).toEqual(["pods/status"]);
  concerns.now = false;
  await server.patch(`${podsPath}/web/status`, { status: { phase: "Failed" } });
  expect(seen).toHaveLength(1);
});

test("objects of a collection are admitted one after the other", async () => {
  const gates: StepGate[] = [];
  const { step, state } = switched(() => {
    const gate = aGate();
    gates.push(gate);
    return gate.opened;
  });
  await using server = await startWith(step);
  await server.post(mapsPath, { metadata: { name: "second" } });
  state.on = true;
  const deleted = server.delete(mapsPath);
  await server.clock.advance(1);
  expect(gates).toHaveLength(1);
  gates[0]?.open();
  await server.clock.advance(1);
  expect(gates).toHaveLength(2);
  gates[1]?.open();
  expect((await deleted).json.items).toHaveLength(2);
  expect(await everything(server)).toEqual([]);
});
