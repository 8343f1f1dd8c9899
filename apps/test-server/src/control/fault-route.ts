import { badRequest } from "@kintsugi/api";
import { type BuiltInResource, jsonResponse } from "@kintsugi/api-server/factory";
import type { FaultSettings } from "@kintsugi/simulation";
import type { CalledFault, FaultDesk } from "../faults/fault-desk.ts";
import { apiVersion, durationIn, bodyFields, group, bodyNumber, textIn, controlVersion } from "./control-body.ts";

const fields = ["fault", "target", "with", "for", "seed"];
const forMaxMs = 31 * 24 * 3_600_000;
const settingsMax = 20;

/**
 * /apis/kintsugi.dev/v1alpha1/faults: GET lists the faults in force, POST injects one
 * (`{"fault":"kill-node","target":"node-1"}`), DELETE of its name undoes it, DELETE of all undoes
 * all.
 */
export function faultRoute(desk: FaultDesk): BuiltInResource {
  return {
    type: { group, version: controlVersion, resource: "faults", namespaced: false },
    verbs: {
      list: () =>
        jsonResponse(200, { kind: "FaultList", apiVersion, metadata: {}, items: desk.list().map(faultObject) }),
      create: async (request) => {
        const body = bodyFields(request, fields);
        const fault = textIn(body, "fault");
        if (fault === undefined) throw badRequest('fault is required, such as {"fault":"kill-node","target":"node-1"}');
        const called = await desk.call({
          fault,
          target: textIn(body, "target"),
          with: settingsIn(body["with"]),
          forMs: durationIn(body, "for", forMaxMs),
          seed: bodyNumber(body, "seed", { min: 0, max: 2 ** 32 - 1 }) ?? 1,
        });
        return jsonResponse(201, faultObject(called));
      },
      delete: async (_request, { name }) => {
        await desk.undo(name);
        return jsonResponse(200, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" });
      },
      deletecollection: async () => {
        const undone = await desk.undoAll();
        return jsonResponse(200, {
          kind: "Status",
          apiVersion: "v1",
          metadata: {},
          status: "Success",
          message: `${undone} undone`,
        });
      },
    },
  };
}

/** @throws ApiError BadRequest */
function settingsIn(value: unknown): FaultSettings {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw badRequest("with must be an object");
  const entries = Object.entries(value);
  if (entries.length > settingsMax) throw badRequest(`with has more than ${settingsMax} settings`);
  for (const [name, each] of entries)
    if (typeof each !== "string" && !(typeof each === "number" && Number.isFinite(each)))
      throw badRequest(`with.${name} must be a number or a string`);
  return value as FaultSettings;
}

function faultObject({ name, fault, target, with: settings, state }: CalledFault): object {
  const spec = { fault, ...(target !== undefined && { target }), with: settings };
  return { kind: "Fault", apiVersion, metadata: { name }, spec, status: { state } };
}
