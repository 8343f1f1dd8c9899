import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";
import { silentLogger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { ApiAddress, certificateShown, resolveHere } from "./api-address.ts";

/** Starts a server with a certificate for localhost, and the names given. */
async function serve(more = "") {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-api-address-"));
  const [keyFile, certFile] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  execFileSync(
    "openssl",
    // prettier-ignore
    ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", "/CN=api",
      "-addext", `subjectAltName=DNS:localhost${more}`, "-keyout", keyFile, "-out", certFile],
    { stdio: "ignore" },
  );
  const [key, cert] = [readFileSync(keyFile, "utf8"), readFileSync(certFile, "utf8")];
  rmSync(directory, { recursive: true });
  const server = createServer({ cert, key });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const access = { context: "c", namespace: "default", server: `https://localhost:${port}`, ca: cert };
  return { access, port: String(port), [Symbol.asyncDispose]: async () => void server.close() };
}

async function hostForPods(access: Awaited<ReturnType<typeof serve>>["access"]) {
  const certificateAt = certificateShown(access);
  const address = new ApiAddress(
    { clock: systemClock, log: silentLogger, resolve: resolveHere, certificateAt },
    access.server,
  );
  expect(address.get().host).toBe("localhost");
  await address.run(new AbortController().signal);
  return address.get();
}

test("pods get the address of a name that only this machine resolves, if the server's certificate contains it", async () => {
  await using both = await serve(",IP:127.0.0.1");
  expect(await hostForPods(both.access)).toEqual({ host: "127.0.0.1", port: both.port });
  await using nameOnly = await serve();
  expect(await hostForPods(nameOnly.access)).toEqual({ host: "localhost", port: nameOnly.port });
});

test("the server is queried until it answers, and an address is used unchanged", async () => {
  const clock = new VirtualClock();
  let asked = 0;
  const deps = {
    clock,
    log: silentLogger,
    resolve: () => Promise.resolve(["192.0.2.7", "192.0.2.8"]),
    certificateAt: () => {
      if (++asked < 3) return Promise.reject(new Error("refused"));
      return Promise.resolve({ subject: { CN: "api" }, subjectaltname: "IP Address:192.0.2.8" } as never);
    },
  };
  const address = new ApiAddress(deps, "https://api.example:7443");
  const found = address.run(new AbortController().signal);
  await clock.advance(1500);
  expect(address.get()).toEqual({ host: "api.example", port: "7443" });
  await clock.advance(1000);
  await found;
  expect(address.get()).toEqual({ host: "192.0.2.8", port: "7443" });

  const given = new ApiAddress(deps, "https://192.0.2.1");
  await given.run(new AbortController().signal);
  expect([given.get(), asked]).toEqual([{ host: "192.0.2.1", port: "443" }, 3]);
});
