import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import type { ClientIdentity } from "./client-identity.ts";
import { askWhoseToken, TokenReviews, TooManyTokens } from "./token-reviews.ts";

const scraper: ClientIdentity = { name: "system:serviceaccount:default:scraper", groups: ["system:serviceaccounts"] };

function reviewsThat(answer: (token: string) => Promise<ClientIdentity | undefined>) {
  const asked: string[] = [];
  const clock = new VirtualClock();
  const ask = (token: string) => {
    asked.push(token);
    return answer(token);
  };
  return { reviews: new TokenReviews({ ask, clock }, { cacheTtlMs: 120_000 }), asked, clock };
}

test("a result, good or bad, is cached for two minutes", async () => {
  const { reviews, asked, clock } = reviewsThat((token) => Promise.resolve(token === "good" ? scraper : undefined));
  expect(await reviews.identify("good")).toEqual(scraper);
  expect(await reviews.identify("bad")).toBeUndefined();
  await clock.advance(119_000);
  expect(await reviews.identify("good")).toEqual(scraper);
  expect(await reviews.identify("bad")).toBeUndefined();
  expect(asked).toEqual(["good", "bad"]);
  await clock.advance(2000);
  expect(await reviews.identify("good")).toEqual(scraper);
  expect(asked).toEqual(["good", "bad", "good"]);
});

test("many requests with one token cause one review, and an excess of unknown tokens is rejected", async () => {
  const open: ((identity: ClientIdentity | undefined) => void)[] = [];
  const { reviews, asked } = reviewsThat(() => new Promise((resolve) => open.push(resolve)));
  const same = Array.from({ length: 50 }, () => reviews.identify("good"));
  const others = Array.from({ length: 9 }, (_, i) => reviews.identify(`other-${i}`));
  expect(asked).toHaveLength(10);
  await expect(reviews.identify("one-too-many")).rejects.toThrow(TooManyTokens);
  for (const answer of open) answer(scraper);
  expect(await Promise.all([...same, ...others])).toEqual(Array.from({ length: 59 }, () => scraper));
  expect(asked).not.toContain("one-too-many");
});

test("while the API does not answer every client is rejected, and the API is queried again", async () => {
  let isDown = true;
  const { reviews } = reviewsThat(() =>
    isDown ? Promise.reject(new Error("the API is down")) : Promise.resolve(scraper),
  );
  await expect(reviews.identify("good")).rejects.toThrow("the API is down");
  isDown = false;
  expect(await reviews.identify("good")).toEqual(scraper);
});

test.each([
  [
    { authenticated: true, user: { username: "a", uid: "1", groups: ["g"] } },
    { name: "a", uid: "1", groups: ["g"] },
  ],
  [{ authenticated: true, user: {} }, undefined],
  [{ authenticated: false, user: { username: "a" } }, undefined],
  [undefined, undefined],
])("the answer %j results in %j", async (status, identity) => {
  const create = (_: unknown, review: object) => Promise.resolve({ ...review, status } as never);
  expect(await askWhoseToken({ create })("token", new AbortController().signal)).toEqual(identity);
});
