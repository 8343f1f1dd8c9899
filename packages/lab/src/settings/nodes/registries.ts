import { z } from "zod";
import { InvalidSpec } from "../invalid-spec.ts";
import { defineSetting, type SettingFlag, topologyField } from "../setting.ts";

/** Other servers for a registry's images, in place of the registry or tried before it. */
export interface RegistrySpec {
  /** The registry's name in images: "registry.example.com:5000", "docker.io". */
  host: string;
  /** The servers in the order in which they are tried: "http://192.0.2.1:5000". */
  endpoints: readonly string[];
  /** The registry itself is never tried, because it does not support TLS. */
  insecure: boolean;
}

type Registries = readonly RegistrySpec[];

export const insecureRegistrySetting = defineSetting({
  name: "insecureRegistry",
  help: "registry without TLS, by its name in images, such as 192.0.2.1:5000; may be repeated",
  ...registries({ flags: "--insecure-registry <host>", field: "insecureRegistries", parse: parseInsecureRegistry }),
});

export const registryMirrorSetting = defineSetting({
  name: "registryMirror",
  help: "mirror of a registry, such as docker.io=http://192.0.2.1:5000; may be repeated",
  ...registries({ flags: "--registry-mirror <registry=url>", field: "registryMirrors", parse: parseRegistryMirror }),
});

/** Both settings are stored in one list, mirrors last. */
function registries(form: { flags: string; field: string; parse: (text: string) => RegistrySpec }) {
  const flag: SettingFlag<Registries> = {
    flags: form.flags,
    parse: (text, before = []) => [...before, form.parse(text)],
  };
  return {
    flag,
    field: topologyField({
      name: form.field,
      schema: z.array(z.string()),
      read: (texts): Registries => texts.map(form.parse),
    }),
    combine: (file: Registries, flags: Registries): Registries => [...file, ...flags],
    store: (desired: Registries = []): { registries?: Registries } =>
      desired.length === 0 ? {} : { registries: desired },
    contradiction: ({ registries: present = [] }: { registries?: Registries }, desired: Registries) =>
      desired.some(({ host }) => !present.some((known) => known.host === host)) ? "other registries" : undefined,
  };
}

const hostForm = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:\d{1,5})?$/;

/**
 * Parses "registry.example.com:5000".
 * @throws InvalidSpec that names the expected form.
 */
function parseInsecureRegistry(host: string): RegistrySpec {
  if (!hostForm.test(host)) throw new InvalidSpec(`--insecure-registry "${host}" is not host or host:port`);
  return { host, endpoints: [`http://${host}`], insecure: true };
}

/**
 * Parses "docker.io=http://192.0.2.1:5000".
 * @throws InvalidSpec that names the expected form.
 */
function parseRegistryMirror(text: string): RegistrySpec {
  const [host = "", url = "", ...rest] = text.split("=");
  if (rest.length > 0 || !hostForm.test(host) || !/^https?:\/\/[^\s"]+$/.test(url)) {
    throw new InvalidSpec(`--registry-mirror "${text}" is not registry=URL, as in docker.io=http://192.0.2.1:5000`);
  }
  return { host, endpoints: [url], insecure: false };
}
