import { expect, test } from "vitest";
import { explainListening } from "./listen.ts";

const at = { address: "::1", port: 443, otherwise: "choose another port with --port" };
const failed = (code: string) => explainListening(Object.assign(new Error("listen"), { code }), at) as Error;

test.each([
  ["EADDRINUSE", "port 443 on ::1 is in use: choose another port with --port"],
  ["EACCES", "port 443 on ::1 is only for root: choose another port with --port"],
  ["EADDRNOTAVAIL", "this host has no address ::1: choose another address with --bind-address"],
  ["EMFILE", "listen"],
])("a server that cannot listen because of %s states: %s", (code, sentence) => {
  expect(failed(code).message).toBe(sentence);
});
