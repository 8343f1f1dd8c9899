import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { AccessReviews } from "./access-reviews.ts";

const apiServer = { name: "kube-apiserver-kubelet-client", groups: ["kubeadm:cluster-admins"] };
const stranger = { name: "mallory", groups: [] };

function reviewsThat(answer: (user: string | undefined) => boolean) {
  const asked: string[] = [];
  const clock = new VirtualClock();
  const reviews = new AccessReviews(
    {
      clock,
      ask: async ({ user, groups, resourceAttributes: about }) => {
        asked.push(
          `${user} (${groups?.join()}) ${about?.verb} ${about?.resource}/${about?.subresource} of ${about?.name}`,
        );
        return answer(user);
      },
    },
    { nodeName: "node-1" },
  );
  return { reviews, asked, clock };
}

test("the API is queried about this node, with all known attributes of the client", async () => {
  const { reviews, asked } = reviewsThat(() => true);
  expect(await reviews.isAllowed({ identity: apiServer, verb: "create", subresource: "proxy" })).toBe(true);
  expect(asked).toEqual(["kube-apiserver-kubelet-client (kubeadm:cluster-admins) create nodes/proxy of node-1"]);
});

test("an approval is cached for five minutes and a denial for thirty seconds, and neither is used for another question", async () => {
  const { reviews, asked, clock } = reviewsThat((user) => user === apiServer.name);
  const ask = (identity = apiServer, verb = "get") => reviews.isAllowed({ identity, verb, subresource: "proxy" });
  expect(await ask()).toBe(true);
  expect(await ask(stranger)).toBe(false);
  expect(asked).toHaveLength(2);
  await clock.advance(29_000);
  expect(await ask(stranger)).toBe(false);
  expect(asked).toHaveLength(2);
  await clock.advance(2000);
  expect(await ask(stranger)).toBe(false);
  expect(asked).toHaveLength(3);
  await clock.advance(268_000);
  expect(await ask()).toBe(true);
  expect(asked).toHaveLength(3);
  await clock.advance(2000);
  expect(await ask()).toBe(true);
  expect(await ask(apiServer, "create")).toBe(true);
  expect(asked).toHaveLength(5);
});

test("a client that cannot be authorized is rejected", async () => {
  const { reviews } = reviewsThat(() => {
    throw new Error("the API is down");
  });
  const asked = reviews.isAllowed({ identity: apiServer, verb: "get", subresource: "proxy" });
  await expect(asked).rejects.toThrow("the API is down");
});

test("the API is queried once for all callers that wait for the same answer", async () => {
  const { reviews, asked } = reviewsThat(() => true);
  const question = { identity: apiServer, verb: "create", subresource: "proxy" };
  const answers = await Promise.all(Array.from({ length: 400 }, () => reviews.isAllowed(question)));
  expect(answers.every((allowed) => allowed)).toBe(true);
  expect(asked).toHaveLength(1);
});
