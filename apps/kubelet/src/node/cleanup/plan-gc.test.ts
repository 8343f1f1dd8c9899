import type { Container, Image, PodSandbox } from "@kintsugi/cri";
import { describe, expect, test } from "vitest";
import { planContainerGc } from "./plan-container-gc.ts";
import { bytesToFree, type ImageRecord, noteImages, planImageRemoval, planOldImages } from "./plan-image-gc.ts";

const minute = 60_000;

function container(pod: string, attempt: number, over: Partial<Container> = {}): Container {
  return {
    id: `${pod}-${attempt}`,
    sandboxId: `${pod}-sandbox`,
    metadata: { name: "c", attempt },
    image: "busybox",
    imageRef: "sha256:busybox",
    state: "exited",
    createdAtMs: attempt * minute,
    labels: { "io.kubernetes.pod.uid": pod },
    annotations: {},
    ...over,
  };
}

function sandbox(pod: string, attempt: number, id = `${pod}-sandbox`): PodSandbox {
  const metadata = { name: pod, namespace: "default", uid: pod, attempt };
  return { id, metadata, ready: false, createdAtMs: 0, labels: {}, annotations: {} };
}

describe("ended containers", () => {
  const options = { maxPerPodContainer: 1, maxContainers: -1, minAgeMs: 0, pressed: false };
  const running = (...uids: string[]) => ({ isEnded: (uid: string) => !uids.includes(uid) });

  test("are kept one per container in addition to the running instance, or two if no instance runs", () => {
    const containers = [
      container("a", 3, { state: "running" }),
      ...[0, 1, 2].map((attempt) => container("a", attempt)),
      ...[0, 1, 2].map((attempt) => container("b", attempt)),
    ];
    const plan = planContainerGc({ containers, sandboxes: [], ...running("a", "b") }, options, 10 * minute);
    expect(plan.containers.map(({ id }) => id)).toEqual(["a-1", "a-0", "b-0"]);
  });

  test("younger than the minimum age are kept", () => {
    const containers = [0, 1, 2, 3].map((attempt) => container("a", attempt));
    const plan = planContainerGc(
      { containers, sandboxes: [], ...running("a") },
      { ...options, maxPerPodContainer: 0, minAgeMs: 2 * minute },
      3 * minute,
    );
    expect(plan.containers.map(({ id }) => id)).toEqual(["a-1", "a-0"]);
  });

  test("beyond the node's limit are removed evenly, and then by age", () => {
    const containers = ["a", "b", "c"].flatMap((pod, i) => [container(pod, i), container(pod, i + 3)]);
    const plan = planContainerGc(
      { containers, sandboxes: [], ...running("a", "b", "c") },
      { ...options, maxPerPodContainer: -1, maxContainers: 2 },
      60 * minute,
    );
    expect(plan.containers.map(({ id }) => id)).toEqual(["a-0", "b-1", "c-2", "a-3"]);
  });

  test("of ended pods are all removed when the disk is full, with their sandboxes; other pods' containers are kept", () => {
    const observed = {
      containers: [container("ended", 0), container("lives", 0)],
      sandboxes: [sandbox("ended", 0), sandbox("lives", 0), sandbox("lives", 1, "newer")],
      ...running("lives"),
    };
    expect(planContainerGc(observed, options, 10 * minute)).toEqual({ containers: [], sandboxIds: [] });
    const pressed = planContainerGc(observed, { ...options, pressed: true }, 10 * minute);
    expect(pressed.containers.map(({ id }) => id)).toEqual(["ended-0"]);
    expect(pressed.sandboxIds).toEqual(["ended-sandbox"]);
  });
});

describe("images", () => {
  const image = (name: string, over: Partial<Image> = {}): Image => ({
    id: `sha256:${name}`,
    repoTags: [`docker.io/library/${name}:1`],
    repoDigests: [],
    sizeBytes: 100,
    username: "",
    pinned: false,
    ...over,
  });
  const look = (
    before: ReadonlyMap<string, ImageRecord>,
    images: Image[],
    { used = [] as string[], isFirstLook = false, localImages = false, nowMs = 0 },
  ) => {
    const containers = used.map((name) => container("p", 0, { imageRef: `sha256:${name}` }));
    const sandboxImage = "docker.io/library/pause:1";
    return noteImages(before, { images, containers, sandboxImage, localImages, isFirstLook }, nowMs);
  };
  const ids = (records: readonly ImageRecord[]) => records.map(({ id }) => id.slice("sha256:".length));

  test.each([
    { percentUsed: 84, bytes: 0 },
    { percentUsed: 85, bytes: 50 },
    { percentUsed: 100, bytes: 200 },
  ])("are removed from 85 % on until 80 % are in use: at $percentUsed %, $bytes of 1000", ({ percentUsed, bytes }) => {
    const options = { highThresholdPercent: 85, lowThresholdPercent: 80, minAgeMs: 0, maxAgeMs: 0 };
    const space = { capacityBytes: 1000, availableBytes: 1000 - 10 * percentUsed };
    expect(bytesToFree(space, options)).toBe(bytes);
    expect(bytesToFree(space, { ...options, highThresholdPercent: 100 })).toBe(0);
  });

  test("are removed by their last use, and never while they are in use, pinned, new, or the sandbox image", () => {
    const all = ["old", "newer", "used", "pause", "pinned"].map((name) => image(name, { pinned: name === "pinned" }));
    let records = look(new Map(), all, { isFirstLook: true, used: ["newer", "used"], nowMs: minute });
    records = look(records, [...all, image("fresh")], { used: ["used"], nowMs: 10 * minute });
    const plan = (bytes: number) => ids(planImageRemoval(records, { bytes, minAgeMs: 2 * minute }, 10 * minute));
    expect(plan(Infinity)).toEqual(["old", "newer"]);
    expect(plan(100)).toEqual(["old"]);
    const later = planImageRemoval(records, { bytes: Infinity, minAgeMs: 2 * minute }, 13 * minute);
    expect(ids(later)).toEqual(["old", "fresh", "newer"]);
  });

  test("that are in use are kept, even long after the inspection", () => {
    const records = look(new Map(), [image("used"), image("pause"), image("unused")], {
      isFirstLook: true,
      used: ["used"],
    });
    expect(ids(planImageRemoval(records, { bytes: Infinity, minAgeMs: 0 }, 1))).toEqual(["unused"]);
  });

  test("that a container mounts are also kept", () => {
    const images = [image("mounted"), image("also"), image("unused")];
    const mounting = container("p", 0, { annotations: { "kintsugi.dev/image-volumes": "sha256:mounted,sha256:also" } });
    const seen = { images, containers: [mounting], sandboxImage: "", localImages: false, isFirstLook: true };
    const records = noteImages(new Map(), seen, 0);
    expect(ids(planImageRemoval(records, { bytes: Infinity, minAgeMs: 0 }, 1))).toEqual(["unused"]);
  });

  test("that exist only because of an import are kept on a node without a registry", () => {
    const all = [image("imported"), image("pulled", { repoDigests: ["docker.io/library/pulled@sha256:0"] })];
    const plan = (localImages: boolean) => {
      const records = look(new Map(), all, { isFirstLook: true, localImages });
      return ids(planImageRemoval(records, { bytes: Infinity, minAgeMs: 0 }, 10 * minute));
    };
    expect(plan(true)).toEqual(["pulled"]);
    expect(plan(false)).toEqual(["imported", "pulled"]);
  });

  test("that are unused for too long are removed without pressure, once the kubelet itself has run that long", () => {
    const all = [image("old"), image("used")];
    const first = look(new Map(), all, { isFirstLook: true, used: ["used"], nowMs: 0 });
    const records = look(first, all, { nowMs: minute });
    const options = { maxAgeMs: 60 * minute, minAgeMs: 2 * minute, sinceMs: 0 };
    expect(planOldImages(records, options, 59 * minute)).toEqual([]);
    expect(ids(planOldImages(records, options, 61 * minute))).toEqual(["old", "used"]);
    expect(planOldImages(records, { ...options, maxAgeMs: 0 }, 61 * minute)).toEqual([]);
  });
});
