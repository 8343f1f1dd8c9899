import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";

// oxlint-disable-next-line eslint/no-restricted-properties -- only this test reads it.
const namedPath = process.env["KINTSUGI_API_PATHS"];
const pathsFile = namedPath ?? join(import.meta.dirname, "../../../../../shared/data/api-paths.json");

/**
 * The resources that upstream's 1.36 serves with `--runtime-config=api/all=true` and every feature,
 * but this server does not. Upstream does not serve them by default.
 */
const notServed: Readonly<Record<string, string>> = {
  "certificates.k8s.io/v1beta1 podcertificaterequests": "kubelets here make no certificates of pods",
  "internal.apiserver.k8s.io/v1alpha1 storageversions": "servers that share a store have one storage version",
  "resource.k8s.io/v1alpha3 devicetaintrules": "an alpha version; devices have their own taints",
  "resource.k8s.io/v1alpha3 resourcepoolstatusrequests": "an alpha version, of controllers that are not here",
  "resource.k8s.io/v1beta1 deviceclasses":
    "the fields of v1beta1 differ from those of v1, and is off by default since it was replaced",
  "resource.k8s.io/v1beta1 resourceclaims": "as above",
  "resource.k8s.io/v1beta1 resourceclaimtemplates": "as above",
  "resource.k8s.io/v1beta1 resourceslices": "as above",
  "resource.k8s.io/v1beta2 devicetaintrules": "off by default; devices have their own taints",
  "scheduling.k8s.io/v1alpha2 podgroups": "an alpha version, of a scheduler of groups",
  "scheduling.k8s.io/v1alpha2 workloads": "as above",
  "storagemigration.k8s.io/v1beta1 storageversionmigrations": "off by default; a write of an object migrates it",
};

/** Further resources that this server serves. */
const besides: Readonly<Record<string, string>> = {
  "authentication.k8s.io/v1beta1 selfsubjectreviews": "kubectl 1.27 asks for it",
  "v1 pods/restart": "restarts containers in place",
};

const verbsOf: Readonly<Record<string, readonly string[]>> = {
  "get get": ["get"],
  "get list": ["list"],
  "get watchlist": ["watch"],
  "get watch": ["watch"],
  "post post": ["create"],
  "put put": ["update"],
  "patch patch": ["patch"],
  "delete delete": ["delete"],
  "delete deletecollection": ["deletecollection"],
  "get connect": ["get"],
  "post connect": ["create"],
  "put connect": ["update"],
  "patch connect": ["patch"],
  "delete connect": ["delete"],
};

type Served = Map<string, Set<string>>;

/** Verbs by "group/version resource" or "group/version resource/subresource". */
function upstreamVerbs(paths: Readonly<Record<string, readonly string[]>>): Served {
  const found: Served = new Map();
  for (const [path, methods] of Object.entries(paths)) {
    const match = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/(watch\/)?(?:namespaces\/\{namespace\}\/)?(.+)$/.exec(path);
    if (match === null || methods[0] === "get") continue;
    const [, group, version, , rest = ""] = match;
    const [resource = "", name, subresource] = rest.split("/");
    // The namespace itself is an object of a resource, and its paths have its name.
    const key = [resource, ...(name === "{name}" && subresource !== undefined ? [subresource] : [])].join("/");
    const place = `${group === undefined ? "" : `${group}/`}${version} ${key}`;
    const verbs = found.get(place) ?? new Set<string>();
    methods.flatMap((method) => verbsOf[method] ?? []).forEach((verb) => verbs.add(verb));
    found.set(place, verbs);
  }
  return found;
}

async function ourVerbs(server: TestServer): Promise<Served> {
  const { json: groups } = await server.get("/apis");
  const versions = [
    "v1",
    ...groups.groups.flatMap((group: { versions: { groupVersion: string }[] }) => group.versions),
  ];
  const found: Served = new Map();
  for (const version of versions) {
    const name = typeof version === "string" ? version : version.groupVersion;
    const { json: list } = await server.get(name === "v1" ? "/api/v1" : `/apis/${name}`);
    for (const resource of list.resources as { name: string; verbs: string[] }[]) {
      found.set(`${name} ${resource.name}`, new Set(resource.verbs));
    }
  }
  return found;
}

test("a path names a resource or a subresource, and its methods are verbs", () => {
  const found = upstreamVerbs({
    "/apis/": ["get"],
    "/api/v1/nodes": ["get list", "post post"],
    "/api/v1/watch/nodes": ["get watchlist"],
    "/api/v1/namespaces/{namespace}/pods/{name}": ["get get", "delete delete"],
    "/api/v1/namespaces/{namespace}/pods/{name}/exec": ["get connect", "post connect"],
    "/api/v1/namespaces/{name}/status": ["patch patch"],
    "/apis/apps/v1/namespaces/{namespace}/deployments": ["delete deletecollection"],
  });
  expect(Object.fromEntries([...found].map(([name, verbs]) => [name, [...verbs]]))).toEqual({
    "v1 nodes": ["list", "create", "watch"],
    "v1 pods": ["get", "delete"],
    "v1 pods/exec": ["get", "create"],
    "v1 namespaces/status": ["patch"],
    "apps/v1 deployments": ["deletecollection"],
  });
});

// Upstream's list of paths is not part of the project. Where it exists next to the project, it is
// compared.
/* oxlint-disable vitest/no-conditional-tests -- without the data there is nothing to compare. */
if (existsSync(pathsFile)) {
  describe("with all kinds enabled, discovery equals upstream's", () => {
    const paths = JSON.parse(readFileSync(pathsFile, "utf8")) as Record<string, string[]>;
    const theirs = upstreamVerbs(paths);
    let server: TestServer;
    let ours: Served;

    beforeAll(async () => {
      server = await TestServer.start();
      ours = await ourVerbs(server);
    });

    afterAll(async () => {
      await server[Symbol.asyncDispose]();
    });

    test("in its resources and subresources, except for documented differences", () => {
      const missing = [...theirs.keys()].filter((name) => !ours.has(name) && !isListed(name, notServed));
      const unknown = [...ours.keys()].filter((name) => !theirs.has(name) && !isListed(name, besides));
      expect({ missing, unknown }).toEqual({ missing: [], unknown: [] });
    });

    test("in the verbs of each resource", () => {
      const differences = [...theirs].flatMap(([name, verbs]) => {
        const own = ours.get(name);
        if (own === undefined) return [];
        const [lacks, has] = [[...verbs].filter((verb) => !own.has(verb)), [...own].filter((verb) => !verbs.has(verb))];
        return lacks.length + has.length === 0 ? [] : [`${name}: lacks [${lacks.join(" ")}], has [${has.join(" ")}]`];
      });
      expect(differences).toEqual([]);
    });

    test("and no reason is out of date", () => {
      const outdated = [
        ...Object.keys(notServed).filter((name) => ours.has(name) || !theirs.has(name)),
        ...Object.keys(besides).filter((name) => theirs.has(name) || !ours.has(name)),
      ];
      expect(outdated).toEqual([]);
    });
  });
}

/* oxlint-enable vitest/no-conditional-tests */

/** A reason for a resource also applies to its subresources. */
function isListed(name: string, reasons: Readonly<Record<string, string>>): boolean {
  return name in reasons || (name.split("/").length > 2 && name.slice(0, name.lastIndexOf("/")) in reasons);
}
