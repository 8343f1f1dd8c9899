import fc from "fast-check";
import { expect, test } from "vitest";
import { fairShares } from "./fair-shares.ts";

test("the namespace with the largest demand is reduced first", () => {
  const wanted = new Map([
    ["c", 9],
    ["a", 1],
    ["b", 7],
  ]);
  expect(Object.fromEntries(fairShares(wanted, 10))).toEqual({ a: 1, b: 4, c: 5 });
  expect(Object.fromEntries(fairShares(wanted, 17))).toEqual({ a: 1, b: 7, c: 9 });
  expect(Object.fromEntries(fairShares(wanted, 0))).toEqual({ a: 0, b: 0, c: 0 });
});

test("no share exceeds its demand, the sum never exceeds the total, and each namespace gets at least an equal share", () => {
  const wants = fc.dictionary(fc.string({ minLength: 1, maxLength: 3 }), fc.nat(50), { maxKeys: 8 });
  fc.assert(
    fc.property(wants, fc.nat(120), (wanted, places) => {
      const shares = fairShares(new Map(Object.entries(wanted)), places);
      const total = [...shares.values()].reduce((sum, share) => sum + share, 0);
      const all = Object.values(wanted).reduce((sum, count) => sum + count, 0);
      expect(total).toBeLessThanOrEqual(places);
      expect(places >= all ? total : total + shares.size > places).toBe(places >= all ? all : true);
      const equal = Math.floor(places / Math.max(1, shares.size));
      for (const [namespace, share] of shares) {
        expect(share).toBeLessThanOrEqual(wanted[namespace] ?? 0);
        expect(share).toBeGreaterThanOrEqual(Math.min(wanted[namespace] ?? 0, equal));
      }
    }),
  );
});
