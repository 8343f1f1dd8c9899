import { expect, test } from "vitest";
import { amountText } from "./amounts.ts";

test.each([
  ["cpu", 1500, "1500m"],
  ["cpu", 2000, "2"],
  ["memory", 2_147_483_648, "2Gi"],
  ["memory", 1_600_000_000, "1.5Gi"],
  ["memory", 0, "0"],
  ["ephemeral-storage", 1024, "1Ki"],
  ["example.com/gpu", 4096, "4096"],
])("%s %d is %s", (resource, amount, text) => expect(amountText(resource, amount)).toBe(text));
