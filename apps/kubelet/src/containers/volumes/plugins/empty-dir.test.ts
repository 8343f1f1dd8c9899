import { expect, test } from "vitest";
import { aPod } from "../../../testing/builders.ts";
import { memorySizeBytes } from "./empty-dir.ts";

const mebibyte = 1024 ** 2;
const allocatable = 4096 * mebibyte;
const limited = { name: "a", image: "i", resources: { limits: { memory: "64Mi" } } };
const unlimited = { name: "b", image: "i" };

test.each([
  { says: "nothing", containers: [unlimited], sizeLimit: undefined, mebibytes: 4096 },
  { says: "a size", containers: [unlimited], sizeLimit: "10Mi", mebibytes: 10 },
  { says: "a size above the pod's memory", containers: [limited], sizeLimit: "100Mi", mebibytes: 64 },
  { says: "a size below the pod's memory", containers: [limited], sizeLimit: "10Mi", mebibytes: 10 },
  { says: "no size, with a limit on each container", containers: [limited, { ...limited, name: "c" }], mebibytes: 128 },
  { says: "no size, with a limit on one of two", containers: [limited, unlimited], mebibytes: 4096 },
  { says: "a size of 0", containers: [limited], sizeLimit: "0", mebibytes: 64 },
])("a pod that sets $says gets $mebibytes MiB", ({ containers, sizeLimit, mebibytes }) => {
  const emptyDir = { medium: "Memory", ...(sizeLimit === undefined ? {} : { sizeLimit }) };
  expect(memorySizeBytes(aPod({ containers }), emptyDir, allocatable)).toBe(mebibytes * mebibyte);
});
