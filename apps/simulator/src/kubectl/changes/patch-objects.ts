import type { ApiObject, PodSpec } from "@kintsugi/api";
import { findType, qualified } from "../find-type.ts";
import { type KubectlCommand, patchForms, UnusableCommand } from "../kubectl-command.ts";
import { type KubectlAnswer, type KubectlWorld, sendChange, told } from "../kubectl-world.ts";
import { call, readObjects, targetPath } from "../read-objects.ts";

/** @throws ApiError, UnusableCommand */
export async function patchObjects(
  { target, form, patch, subresource }: Extract<KubectlCommand, { is: "patch" }>,
  world: KubectlWorld,
): Promise<KubectlAnswer> {
  const type = findType(target.type, world.types);
  const lines: string[] = [];
  for (const name of target.names) {
    const path = targetPath(type, target, name);
    const before = (await call(world, path)) as ApiObject;
    const after = (await sendChange(world, {
      method: "PATCH",
      path: subresource === "" ? path : `${path}/${subresource}`,
      body: patch,
      contentType: patchForms[form],
    })) as ApiObject;
    const isSame = before.metadata.resourceVersion === after.metadata.resourceVersion;
    lines.push(`${qualified(type)}/${name} patched${isSame ? " (no change)" : ""}`);
  }
  return told(lines);
}

/** An object with the template of a pod, or a pod itself. */
type WithContainers = ApiObject & {
  readonly spec?: PodSpec & {
    readonly template?: { readonly spec?: PodSpec };
    readonly jobTemplate?: { readonly spec?: { readonly template?: { readonly spec?: PodSpec } } };
  };
};

/** @throws ApiError, UnusableCommand for a container that the object lacks. */
export async function setImages(
  { target, images }: Extract<KubectlCommand, { is: "set" }>,
  world: KubectlWorld,
): Promise<KubectlAnswer> {
  const type = findType(target.type, world.types);
  const lines: string[] = [];
  for (const object of await readObjects(world, type, target)) {
    const { spec } = object as WithContainers;
    const template = spec?.template?.spec ?? spec?.jobTemplate?.spec?.template?.spec;
    const body = imagePatch(template ?? spec, images);
    const patch =
      spec?.template === undefined
        ? { jobTemplate: { spec: { template: { spec: body } } } }
        : { template: { spec: body } };
    const name = object.metadata.name ?? "";
    await sendChange(world, {
      method: "PATCH",
      path: targetPath(type, target, name),
      body: { spec: template === undefined ? body : patch },
      contentType: patchForms.strategic,
    });
    lines.push(`${qualified(type)}/${name} image updated`);
  }
  return told(lines);
}

/** `*` stands for every container, as in kubectl. @throws UnusableCommand */
function imagePatch(spec: PodSpec | undefined, images: Readonly<Record<string, string>>): object {
  const groups = ["containers", "initContainers"] as const;
  const known = groups.flatMap((group) => (spec?.[group] ?? []).map(({ name }) => name));
  const unknown = Object.keys(images).find((name) => name !== "*" && !known.includes(name));
  if (unknown !== undefined)
    throw new UnusableCommand(`unable to find container named "${unknown}"; its containers are ${known.join(", ")}`);
  return Object.fromEntries(
    groups.flatMap((group) => {
      const changed = (spec?.[group] ?? []).flatMap(({ name }) => {
        const image = Object.hasOwn(images, name) ? images[name] : images["*"];
        return image === undefined ? [] : [{ name, image }];
      });
      return changed.length === 0 ? [] : [[group, changed]];
    }),
  );
}

/** Changes labels or annotations. @throws ApiError, UnusableCommand */
export async function markObjects(
  { is, target, values, overwrite }: Extract<KubectlCommand, { is: "label" | "annotate" }>,
  world: KubectlWorld,
): Promise<KubectlAnswer> {
  const type = findType(target.type, world.types);
  const field = is === "label" ? "labels" : "annotations";
  const done = is === "label" ? "labeled" : "annotated";
  const lines: string[] = [];
  for (const object of await readObjects(world, type, target)) {
    const before = object.metadata[field] ?? {};
    const taken = Object.entries(values).find(
      ([key, value]) => value !== null && Object.hasOwn(before, key) && before[key] !== value,
    );
    if (!overwrite && taken !== undefined)
      throw new UnusableCommand(`'${taken[0]}' already has a value (${before[taken[0]]}), and --overwrite is false`);
    const name = object.metadata.name ?? "";
    await sendChange(world, {
      method: "PATCH",
      path: targetPath(type, target, name),
      body: { metadata: { [field]: values } },
      contentType: patchForms.merge,
    });
    const isRemoval = is === "label" && Object.values(values).every((value) => value === null);
    lines.push(`${qualified(type)}/${name} ${isRemoval ? "unlabeled" : done}`);
  }
  return told(lines);
}
