import fc from "fast-check";
import { expect, test } from "vitest";
import { findMessage } from "../proto/definitions.ts";
import { containerFromWire, containerStatusFromWire } from "./container.ts";
import { containerFilterFromWire, wireContainer, wireContainerFilter, wireContainerStatus } from "./container.ts";
import { containerConfigFromWire, wireContainerConfig } from "./container-config.ts";
import { envelopeOf, eventsFromCri, eventFromEnvelope, criEventOf } from "./event.ts";
import { authFromWire, filesystemUsageFromWire, imageFromWire } from "./image.ts";
import { wireAuth, wireFilesystemUsage, wireImage } from "./image.ts";
import { msFromNanoseconds, nanosecondsFromMs } from "./scalars.ts";
import { sandboxConfigFromWire, sandboxFilterFromWire, sandboxStatusFromWire } from "./sandbox.ts";
import { wireSandboxConfig, wireSandboxFilter, wireSandboxStatus } from "./sandbox.ts";
import { containerStatsFromWire, podSandboxStatsFromWire, wireContainerStats, wirePodSandboxStats } from "./stats.ts";

/** Encodes a value and decodes it as the receiver does. */
function overTheWire(message: string, value: object): never {
  const definition = findMessage(`runtime.v1.${message}`) ?? findMessage(message);
  return definition?.deserialize(Buffer.from(definition.serialize(value))) as never;
}

// Protobuf maps are plain objects here, which cannot have the key "__proto__".
const text = fc.string({ unit: "binary" }).filter((value) => value !== "__proto__");
const someText = text.filter((value) => value !== "");
const map = fc.dictionary(text, text, { noNullPrototype: true });
const integer = fc.maxSafeInteger();
const wholeMs = fc.nat({ max: 4_102_444_800_000 });
const int32 = fc.integer();
const uint32 = fc.nat();
const metadata = fc.record({ name: text, uid: text, namespace: text, attempt: uint32 });
const containerMetadata = fc.record({ name: text, attempt: uint32 });
const mode = fc.constantFrom("pod", "container", "node", "target");
const namespaces = fc.record(
  { network: mode, pid: mode, ipc: mode, targetId: someText },
  { requiredKeys: ["network", "pid", "ipc"] },
);
const seccomp = fc.record(
  { type: fc.constantFrom("RuntimeDefault", "Unconfined", "Localhost"), localhostRef: someText },
  { requiredKeys: ["type"] },
);
const selinux = fc.record({ user: text, role: text, type: text, level: text });
const mount = fc.record(
  {
    containerPath: text,
    hostPath: text,
    readonly: fc.boolean(),
    recursiveReadOnly: fc.boolean(),
    propagation: fc.constantFrom("private", "host-to-container", "bidirectional"),
    image: someText,
    imageSubPath: someText,
  },
  { requiredKeys: ["containerPath", "hostPath", "readonly", "recursiveReadOnly", "propagation"] },
);
const user = fc.record({ uid: integer, gid: integer, supplementalGroups: fc.array(integer) });
const state = fc.constantFrom("created", "running", "exited", "unknown");
const sandboxConfig = fc.record(
  {
    metadata,
    hostname: text,
    logDirectory: text,
    dns: fc.record({ servers: fc.array(text), searches: fc.array(text), options: fc.array(text) }),
    portMappings: fc.array(
      fc.record({
        protocol: fc.constantFrom("TCP", "UDP", "SCTP"),
        containerPort: int32,
        hostPort: int32,
        hostIp: text,
      }),
    ),
    labels: map,
    annotations: map,
    linux: fc.record(
      {
        cgroupParent: text,
        sysctls: map,
        namespaces,
        runAsUser: integer,
        runAsGroup: integer,
        supplementalGroups: fc.array(integer),
        groupsPolicy: fc.constantFrom("Merge" as const, "Strict" as const),
        readonlyRootfs: fc.boolean(),
        privileged: fc.boolean(),
        seccomp,
        selinux,
      },
      {
        requiredKeys: [
          "cgroupParent",
          "sysctls",
          "namespaces",
          "supplementalGroups",
          "groupsPolicy",
          "readonlyRootfs",
          "privileged",
        ],
      },
    ),
    runtimeHandler: text,
  },
  {
    requiredKeys: "metadata hostname logDirectory portMappings labels annotations linux runtimeHandler".split(
      " ",
    ) as never,
  },
);
const resources = fc.record(
  {
    cpuPeriod: integer,
    cpuQuota: integer,
    cpuShares: integer,
    memoryLimitBytes: integer,
    oomScoreAdj: integer,
    cpusetCpus: someText,
    cpusetMems: someText,
    hugepageLimits: fc.array(fc.record({ pageSize: text, limitBytes: fc.nat() }), { minLength: 1 }),
    unified: map.filter((value) => Object.keys(value).length > 0),
  },
  { requiredKeys: ["cpuPeriod", "cpuQuota", "cpuShares", "memoryLimitBytes", "oomScoreAdj"] },
);
const security = fc.record(
  {
    addCapabilities: fc.array(text),
    dropCapabilities: fc.array(text),
    privileged: fc.boolean(),
    namespaces,
    runAsUser: integer,
    runAsUsername: someText,
    runAsGroup: integer,
    readonlyRootfs: fc.boolean(),
    supplementalGroups: fc.array(integer),
    groupsPolicy: fc.constantFrom("Merge" as const, "Strict" as const),
    noNewPrivileges: fc.boolean(),
    maskedPaths: fc.array(text),
    readonlyPaths: fc.array(text),
    seccomp,
    selinux,
    apparmorProfile: someText,
  },
  {
    requiredKeys:
      "addCapabilities dropCapabilities privileged namespaces readonlyRootfs supplementalGroups groupsPolicy noNewPrivileges maskedPaths readonlyPaths".split(
        " ",
      ) as never,
  },
);
const containerConfig = fc.record({
  metadata: containerMetadata,
  image: text,
  command: fc.array(text),
  args: fc.array(text),
  workingDir: text,
  envs: fc.array(fc.record({ key: text, value: text })),
  mounts: fc.array(mount),
  devices: fc.array(fc.record({ containerPath: text, hostPath: text, permissions: text })),
  cdiDevices: fc.array(text),
  labels: map,
  annotations: map,
  logPath: text,
  stdin: fc.boolean(),
  stdinOnce: fc.boolean(),
  tty: fc.boolean(),
  linux: fc.record({ resources, security }),
});
const sandboxStatus = fc.record({
  id: text,
  metadata,
  ready: fc.boolean(),
  createdAtMs: wholeMs,
  labels: map,
  annotations: map,
  ip: text,
  additionalIps: fc.array(text),
  namespaces,
});
const common = {
  id: text,
  metadata: containerMetadata,
  image: text,
  imageRef: text,
  state,
  createdAtMs: wholeMs,
  labels: map,
  annotations: map,
};
const ofStatus = {
  ...common,
  startedAtMs: wholeMs,
  finishedAtMs: wholeMs,
  exitCode: int32,
  reason: text,
  message: text,
  logPath: text,
  mounts: fc.array(mount),
};
const containerStatus = fc.oneof(fc.record(ofStatus), fc.record({ ...ofStatus, user }));
const used = {
  timestampMs: wholeMs,
  cpuUsageNanoseconds: fc.maxSafeNat(),
  memoryWorkingSetBytes: fc.maxSafeNat(),
  memoryUsageBytes: fc.maxSafeNat(),
  memoryRssBytes: fc.maxSafeNat(),
  pageFaults: fc.maxSafeNat(),
  majorPageFaults: fc.maxSafeNat(),
};
const alwaysUsed = ["timestampMs", "cpuUsageNanoseconds", "memoryWorkingSetBytes"] as const;
const stats = fc.record(
  {
    containerId: text,
    name: text,
    labels: map,
    ...used,
    writableLayerBytes: fc.maxSafeNat(),
    writableLayerInodes: fc.maxSafeNat(),
  },
  { requiredKeys: ["containerId", "name", "labels", ...alwaysUsed, "writableLayerBytes", "writableLayerInodes"] },
);
const traffic = fc.maxSafeNat();
const networkInterface = fc.record({
  name: text,
  rxBytes: traffic,
  rxErrors: traffic,
  txBytes: traffic,
  txErrors: traffic,
});
const network = fc.record(
  { timestampMs: wholeMs, default: networkInterface, interfaces: fc.array(networkInterface, { maxLength: 2 }) },
  { requiredKeys: ["timestampMs", "interfaces"] },
);
const sandboxStats = fc.record(
  { sandboxId: text, metadata, labels: map, ...used, network, processCount: fc.maxSafeNat() },
  { requiredKeys: ["sandboxId", "metadata", "labels", ...alwaysUsed, "processCount"] },
);
const image = fc.record(
  {
    id: text,
    repoTags: fc.array(text),
    repoDigests: fc.array(text),
    sizeBytes: fc.nat(),
    uid: integer,
    username: text,
    pinned: fc.boolean(),
  },
  { requiredKeys: ["id", "repoTags", "repoDigests", "sizeBytes", "username", "pinned"] },
);
const auth = fc.record(
  { username: text, password: text, serverAddress: someText, identityToken: someText, registryToken: someText },
  { requiredKeys: ["username", "password"] },
);
const usage = fc.record({ timestampMs: wholeMs, mountpoint: text, usedBytes: fc.nat(), inodesUsed: fc.nat() });
const sandboxFilter = fc.record({ id: someText, ready: fc.boolean(), labels: map }, { requiredKeys: ["labels"] });
const containerFilter = fc.record(
  { id: someText, sandboxId: someText, state, labels: map },
  { requiredKeys: ["labels"] },
);

/** Every value arrives as it was sent. */
function expectArrival<T>(values: fc.Arbitrary<T>, roundTrip: (value: T) => unknown): void {
  fc.assert(
    fc.property(values, (value) => {
      expect(roundTrip(value)).toEqual(value);
    }),
  );
}

test("every field of every message is decoded as it was encoded", () => {
  expectArrival(sandboxConfig, (v) =>
    sandboxConfigFromWire(overTheWire("PodSandboxConfig", wireSandboxConfig(v)), v.runtimeHandler),
  );
  expectArrival(containerConfig, (v) =>
    containerConfigFromWire(overTheWire("ContainerConfig", wireContainerConfig(v))),
  );
  expectArrival(sandboxStatus, (v) => sandboxStatusFromWire(overTheWire("PodSandboxStatus", wireSandboxStatus(v))));
  expectArrival(containerStatus, (v) =>
    containerStatusFromWire(overTheWire("ContainerStatus", wireContainerStatus(v))),
  );
  expectArrival(fc.record({ ...common, sandboxId: text }), (v) =>
    containerFromWire(overTheWire("Container", wireContainer(v))),
  );
  expectArrival(stats, (v) => containerStatsFromWire(overTheWire("ContainerStats", wireContainerStats(v))));
  expectArrival(sandboxStats, (v) => podSandboxStatsFromWire(overTheWire("PodSandboxStats", wirePodSandboxStats(v))));
  expectArrival(image, (v) => imageFromWire(overTheWire("Image", wireImage(v))));
  expectArrival(auth, (v) => authFromWire(overTheWire("AuthConfig", wireAuth(v))));
  expectArrival(usage, (v) => filesystemUsageFromWire(overTheWire("FilesystemUsage", wireFilesystemUsage(v))));
  expectArrival(sandboxFilter, (v) => sandboxFilterFromWire(overTheWire("PodSandboxFilter", wireSandboxFilter(v))));
  expectArrival(containerFilter, (v) =>
    containerFilterFromWire(overTheWire("ContainerFilter", wireContainerFilter(v))),
  );
});

test("every event is decoded as it was encoded, through containerd's bus and through CRI", () => {
  const plain = fc.record({
    type: fc.constantFrom("created" as const, "started" as const, "deleted" as const, "oom" as const),
    containerId: text,
    atMs: wholeMs,
  });
  const stopped = fc.record({
    type: fc.constant("stopped" as const),
    containerId: text,
    atMs: wholeMs,
    exitCode: uint32,
  });
  const envelope = "containerd.services.events.v1.Envelope";
  expectArrival(fc.oneof(plain, stopped), (v) => eventFromEnvelope(overTheWire(envelope, envelopeOf(v))));
  expectArrival(
    plain.filter(({ type }) => type !== "oom"),
    (v) => eventsFromCri(overTheWire("ContainerEventResponse", criEventOf(v) ?? {}))[0],
  );
});

test("an OOM kill in the status of an end is reported by CRI as by containerd: before the end", () => {
  const property = fc.property(containerStatus, fc.constantFrom("OOMKilled", "Error", ""), (status, reason) => {
    const { id, exitCode } = status;
    const end = { type: "stopped" as const, containerId: id, atMs: 5, exitCode };
    const sent = criEventOf(end, wireContainerStatus({ ...status, reason })) ?? {};
    const oom = reason === "OOMKilled" ? [{ type: "oom", containerId: id, atMs: 5 }] : [];
    expect(eventsFromCri(overTheWire("ContainerEventResponse", sent))).toEqual([...oom, end]);
  });
  fc.assert(property);
});

test("the end of a command inside a container and an unsubscribed topic cause no event", () => {
  const exit = envelopeOf({ type: "stopped", containerId: "c", atMs: 0, exitCode: 1 });
  const type = findMessage("containerd.events.TaskExit");
  const value = type?.serialize({ containerId: "c", id: "exec-1", exitStatus: 1 }) ?? Buffer.alloc(0);
  expect(eventFromEnvelope({ ...exit, event: { typeUrl: "containerd.events.TaskExit", value } })).toBeUndefined();
  expect(eventFromEnvelope({ ...exit, topic: "/tasks/paused" })).toBeUndefined();
  expect(eventFromEnvelope(exit)).toMatchObject({ type: "stopped" });
});

test("an event whose type is a URL is decoded", () => {
  const exit = envelopeOf({ type: "oom", containerId: "c", atMs: 5 });
  const typeUrl = `type.googleapis.com/${exit.event?.typeUrl}`;
  const event = { typeUrl, value: exit.event?.value ?? new Uint8Array() };
  expect(eventFromEnvelope({ ...exit, event })).toEqual({ type: "oom", containerId: "c", atMs: 5 });
});

test("times keep their milliseconds, although nanoseconds do not fit a number", () => {
  expect(msFromNanoseconds("1795222311552999999")).toBe(1_795_222_311_552);
  expect(nanosecondsFromMs(1_795_222_311_552)).toBe("1795222311552000000");
});
