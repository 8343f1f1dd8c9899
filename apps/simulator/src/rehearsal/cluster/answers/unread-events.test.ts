import type { HandlerRequest } from "@kintsugi/client";
import { expect, test } from "vitest";
import { withoutUnreadEvents } from "./unread-events.ts";

test("an Event about a pull is not stored, and its wait is reported", async () => {
  const stored: string[] = [];
  const waits: number[] = [];
  const handler = withoutUnreadEvents(
    {
      handle: ({ path }) => {
        stored.push(path);
        return Promise.resolve({ status: 201, headers: {}, body: new Uint8Array() });
      },
    },
    (waitedMs) => waits.push(waitedMs),
  );
  const send = (message: string) =>
    handler.handle({
      method: "POST",
      path: "/api/v1/namespaces/shop/events",
      headers: {},
      body: new TextEncoder().encode(JSON.stringify({ message })),
    } as unknown as HandlerRequest);
  await send('Successfully pulled image "web:1" in 2s (5.5s including waiting). Image size: 5 bytes.');
  await send('Pulling image "web:1"');
  expect({ stored, waits }).toEqual({ stored: [], waits: [3_500] });
});
