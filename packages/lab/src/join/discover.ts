import { request } from "node:https";
import { clockSkew } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { authorityHash, isSignedBy, parseBootstrapToken } from "@kintsugi/pki";
import { parse } from "yaml";
import { JoinRefused } from "./join-refused.ts";

const clusterInfoPath = "/api/v1/namespaces/kube-public/configmaps/cluster-info";
/** cluster-info is a kilobyte; a server with a longer response is a different kind of server. */
const answerBytesMax = 1024 * 1024;
const timeoutMs = 10_000;
const pollMs = 250;
/** Time within which a controller-manager that leads and is not busy has signed cluster-info. */
const tellAfterMs = 3_000;

export interface Answer {
  readonly status: number;
  /** The server's Date header: "Sun, 22 Nov 2026 01:00:00 GMT"; "" if the header is missing. */
  readonly date: string;
  readonly body: string;
}

export interface DiscoveryDeps {
  clock: Clock;
  warn: (sentence: string) => void;
  ask?: typeof askForClusterInfo;
}

export interface Trust {
  /** "https://10.0.0.1:6443". */
  readonly server: string;
  readonly token: string;
  /** "sha256:…"; if undefined, only the token authenticates the cluster. */
  readonly authorityHash: string | undefined;
  /**
   * The limit on the wait for the token's signature. A controller-manager signs when it has
   * received the token. It may have to become leader first, which on a slow or busy machine takes
   * more than the 15 s of its predecessor's lease.
   */
  readonly discoveryTimeoutMs: number;
}

/**
 * Requests cluster-info from a server that is not trusted yet: the response counts only after
 * `trustedAuthority` has checked it.
 */
export function askForClusterInfo(server: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) =>
      reject(
        new JoinRefused(`${server} does not respond (${cause.message}): check the address, and that port's firewall`),
      );
    const asked = request(
      `${server}${clusterInfoPath}`,
      { rejectUnauthorized: false, timeout: timeoutMs },
      (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          body += chunk;
          if (body.length > answerBytesMax) asked.destroy(new Error("the answer is too long"));
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, date: response.headers.date ?? "", body }),
        );
      },
    );
    asked.on("timeout", () => asked.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    asked.on("error", fail);
    asked.end();
  });
}

/**
 * Returns cluster-info once it is signed with the token, or its present state after the limit. Logs
 * the wait and its reason once.
 */
export async function awaitClusterInfo(
  { clock, warn, ask = askForClusterInfo }: DiscoveryDeps,
  { server, token, discoveryTimeoutMs }: Trust,
): Promise<Answer> {
  const startMs = clock.monotonicMs();
  let told = false;
  for (;;) {
    const answer = await ask(server);
    const waitedMs = clock.monotonicMs() - startMs;
    if (isSignedWith(answer, token) || waitedMs >= discoveryTimeoutMs) return answer;
    if (!told && waitedMs >= tellAfterMs) {
      told = true;
      warn(
        `${server} has not signed cluster-info with this token yet: either its controller-manager is slow, or the token belongs to another cluster; waiting up to ${discoveryTimeoutMs / 1000} s (--discovery-timeout)`,
      );
    }
    await clock.sleep(pollMs);
  }
}

function isSignedWith({ status, body }: Answer, token: string): boolean {
  // A malformed token cannot sign cluster-info; `trustedAuthority` reports the error.
  const id = parseBootstrapToken(token)?.id;
  return id === undefined || (status === 200 && body.includes(`"jws-kubeconfig-${id}"`));
}

/**
 * Returns the authority of the cluster that issued the token, PEM.
 * @throws JoinRefused when the response is not signed with the token, or the authority is not the
 * expected authority.
 */
export function trustedAuthority(answer: Answer, { server, token, authorityHash: wanted }: Trust): string {
  const parsed = parseBootstrapToken(token);
  if (!parsed) throw new JoinRefused(`"${token}" is not a token: it has the form abcdef.0123456789abcdef`);
  if (answer.status !== 200)
    throw new JoinRefused(
      `${server} has no cluster-info (${answer.status}): run \`kintsugi token create\` on a machine that administers the cluster`,
    );
  const data = dataOf(answer.body, server);
  const kubeconfig = data["kubeconfig"] ?? "";
  const signature = data[`jws-kubeconfig-${parsed.id}`];
  if (signature === undefined)
    throw new JoinRefused(
      `the token ${parsed.id} is unknown to ${server}: it has expired or was deleted; \`kintsugi token create\` creates another token`,
    );
  if (!isSignedBy(kubeconfig, parsed, signature))
    throw new JoinRefused(`${server} rejects the secret of the token ${parsed.id}: check the token, and the address`);
  const authority = authorityIn(kubeconfig, server);
  const found = authorityHash(authority);
  if (wanted !== undefined && found !== wanted)
    throw new JoinRefused(
      `the authority of ${server} is ${found}, not ${wanted}: this is another cluster, or an attacker intercepts the connection; \`kintsugi token create\` prints the right hash`,
    );
  return authority;
}

function dataOf(body: string, server: string): Readonly<Record<string, string>> {
  try {
    const { data } = JSON.parse(body) as { data?: Record<string, string> };
    return data ?? {};
  } catch {
    throw new JoinRefused(`${server} is not an API server: its response is not JSON`);
  }
}

function authorityIn(kubeconfig: string, server: string): string {
  const { clusters } = parse(kubeconfig) as { clusters?: { cluster?: Record<string, string> }[] };
  const encoded = clusters?.[0]?.cluster?.["certificate-authority-data"];
  if (encoded === undefined) throw new JoinRefused(`cluster-info of ${server} does not name an authority`);
  return Buffer.from(encoded, "base64").toString("utf8");
}

/**
 * A warning when this machine's clock deviates far from the server's, according to the Date header
 * of its response.
 */
export function clockWarning(serverDate: string, ownMs: number): string | undefined {
  const skew = clockSkew(serverDate, ownMs);
  if (!skew?.isFar) return undefined;
  return `this machine's clock is ${skew.words}: certificates and Leases are validated by time, so set it (timedatectl set-ntp true)`;
}
