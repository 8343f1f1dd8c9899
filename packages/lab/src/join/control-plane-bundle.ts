import { createCipheriv, createDecipheriv } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { profileNames, type ProfileName } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import { z } from "zod";
import { writeWhole } from "@kintsugi/daemon";
import { JoinRefused } from "./join-refused.ts";

// A control plane of several machines has keys that belong to the cluster and not to a machine. The
// first machine seals these keys, with the settings that all machines share, into one file, which
// may be transferred in any way because it is useless without the key, which is transferred
// separately. kubeadm's certificate key has the same form and the same purpose.
//
//   control-plane.join   {"format":1,"madeAtMs":…,"iv":…,"tag":…,"data":…}   AES-256-GCM, base64
//   certificate key      64 hexadecimal digits

/** Settings that are the same on every machine of one control plane. */
export interface SharedSettings {
  readonly servers: readonly string[];
  readonly apiPort: number;
  readonly apiNames: readonly string[];
  readonly serviceRange: string;
  readonly clusterCidr?: string | undefined;
  readonly profile: ProfileName;
}

export interface ControlPlaneBundle {
  readonly settings: SharedSettings;
  /** The contents of the files of pki/ by their names. */
  readonly files: Readonly<Record<string, string>>;
}

const format = 1;
const keyBytes = 32;
const ivBytes = 12;
/** Lifetime of the bundle, equal to the lifetime of kubeadm's Secret with the same keys. */
const bundleLifeMs = 2 * 3600 * 1000;

const authorities = ["ca", "front-proxy-ca", "etcd-ca", "nats-route-ca"] as const;
/** The keys that belong to the cluster; all other keys are created on each machine. */
const sharedFiles = [
  ...authorities.flatMap((name) => [`${name}.crt`, `${name}.key`]),
  "sa.key",
  "nats-operator.seed",
  "nats-account.seed",
];

const settingsSchema = z.object({
  servers: z.array(z.string()),
  apiPort: z.number(),
  apiNames: z.array(z.string()),
  serviceRange: z.string(),
  clusterCidr: z.string().optional(),
  profile: z.enum(profileNames),
});
const bundleSchema = z.object({ settings: settingsSchema, files: z.record(z.string(), z.string()) });
const sealedSchema = z.object({
  format: z.literal(format),
  madeAtMs: z.number(),
  iv: z.string(),
  tag: z.string(),
  data: z.string(),
});

/** Returns a new certificate key. */
export function newCertificateKey(random: Pick<Random, "bytes">): string {
  return Buffer.from(random.bytes(keyBytes)).toString("hex");
}

/** @throws JoinRefused unless the text has the form of a certificate key. */
export function parseCertificateKey(text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new JoinRefused(
      "a certificate key has 64 hexadecimal digits: copy the key from the output of `kintsugi init --servers`",
    );
  return text;
}

/** Reads the cluster's keys from the pki directory of its first machine. */
export async function readBundle(pki: string, settings: SharedSettings): Promise<ControlPlaneBundle> {
  const contents = await Promise.all(
    sharedFiles.map(async (name) => [name, await readFile(join(pki, name), "utf8")] as const),
  );
  return { settings, files: Object.fromEntries(contents) };
}

/** Returns the text of a file with the encrypted bundle, which only holders of the key can read. */
export function sealBundle(
  { clock, random }: { clock: Pick<Clock, "nowMs">; random: Pick<Random, "bytes"> },
  bundle: ControlPlaneBundle,
  certificateKey: string,
): string {
  const madeAtMs = clock.nowMs();
  const iv = Buffer.from(random.bytes(ivBytes));
  const cipher = createCipheriv("aes-256-gcm", Buffer.from(certificateKey, "hex"), iv);
  // The time is not secret, but it must not be changed.
  cipher.setAAD(Buffer.from(String(madeAtMs)));
  const data = Buffer.concat([cipher.update(JSON.stringify(bundle), "utf8"), cipher.final()]);
  const base64 = (bytes: Buffer) => bytes.toString("base64");
  const sealed = { format, madeAtMs, iv: base64(iv), tag: base64(cipher.getAuthTag()), data: base64(data) };
  return `${JSON.stringify(sealed)}\n`;
}

/** @throws JoinRefused if the text is not a bundle, is too old, or was sealed with another key. */
export function openBundle(
  { clock }: { clock: Pick<Clock, "nowMs"> },
  text: string,
  certificateKey: string,
): ControlPlaneBundle {
  const again = "create the file again on the first machine, with the same `kintsugi init … --servers …`";
  const sealed = sealedSchema.safeParse(jsonOf(text));
  if (!sealed.success) throw new JoinRefused(`the file is not a complete control-plane.join: ${again}`);
  const { madeAtMs, iv, tag, data } = sealed.data;
  const ageMs = clock.nowMs() - madeAtMs;
  if (ageMs > bundleLifeMs)
    throw new JoinRefused(
      `control-plane.join is ${Math.round(ageMs / 3_600_000)} hours old, but valid for two: ${again}`,
    );
  let opened: string;
  try {
    const decipher = createDecipheriv("aes-256-gcm", Buffer.from(certificateKey, "hex"), Buffer.from(iv, "base64"), {
      authTagLength: 16,
    });
    decipher.setAAD(Buffer.from(String(madeAtMs)));
    decipher.setAuthTag(Buffer.from(tag, "base64"));
    opened = Buffer.concat([decipher.update(Buffer.from(data, "base64")), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new JoinRefused(
      "control-plane.join was sealed with another certificate key, or has changed since: give the --certificate-key that was printed with this file",
      { cause },
    );
  }
  const { settings, files } = bundleSchema.parse(jsonOf(opened));
  return { settings, files };
}

/**
 * Copies the cluster's keys into the pki directory of a further machine, before other files are
 * created in this directory. Repeatable.
 * @throws JoinRefused if the machine has keys of another cluster.
 */
export async function placeSharedKeys(pki: string, { files }: ControlPlaneBundle): Promise<void> {
  const known = sharedFiles.filter((name) => files[name] !== undefined);
  for (const name of known) {
    const path = join(pki, name);
    if (existsSync(path) && (await readFile(path, "utf8")) !== files[name])
      throw new JoinRefused(
        `${path} belongs to another cluster: this machine already has a control plane; remove ${pki} and the configuration files next to it if you want to remove that control plane`,
      );
  }
  await mkdir(pki, { recursive: true, mode: 0o700 });
  for (const name of known) await writeWhole(join(pki, name), files[name] ?? "", name.endsWith(".crt") ? 0o644 : 0o600);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
