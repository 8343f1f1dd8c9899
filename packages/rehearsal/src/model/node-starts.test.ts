import { expect, test } from "vitest";
import { nodesFromFlag } from "../source/nodes-flag.ts";
import { makePicture } from "../picture/make-picture.ts";
import { upgradeQuestion } from "../questions/make-questions.ts";
import { medianMs, shownNodeStarts } from "./node-starts.ts";

/** Nodes that were created at ten, and are Ready since these times. */
function pictureOf(...readySince: string[]) {
  const nodes = nodesFromFlag(`${readySince.length}x4cpu16Gi`).map((node, index) => ({
    ...node,
    metadata: { ...(node["metadata"] as object), creationTimestamp: "2026-03-01T10:00:00Z" },
    status: {
      ...(node["status"] as object),
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: readySince[index] }],
    },
  }));
  return makePicture({ name: "f", objects: nodes, listed: [], isWhole: false });
}

test("machines start in the time that their Nodes took from creation to Ready, unless the machines were down since", () => {
  const picture = pictureOf(
    "2026-03-01T10:01:00Z",
    "2026-03-01T10:02:00Z",
    "2026-03-01T10:00:40Z",
    "2026-03-02T10:00:00Z",
  );
  expect(shownNodeStarts(picture)).toEqual([60_000, 120_000, 40_000]);
  expect(upgradeQuestion(picture, 0)).toMatchObject({ rebootMs: 60_000 });
});

test("nodes that were Ready immediately have not booted, and an upgrade takes the assumed time", () => {
  const picture = pictureOf("2026-03-01T10:00:01Z", "2026-03-01T09:00:00Z");
  expect(shownNodeStarts(picture)).toEqual([]);
  expect(medianMs([])).toBeUndefined();
  expect(upgradeQuestion(picture, 0)).toMatchObject({ rebootMs: 180_000 });
});
