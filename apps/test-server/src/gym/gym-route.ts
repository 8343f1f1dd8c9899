import { badRequest } from "@kintsugi/api";
import { type BuiltInResource, jsonResponse } from "@kintsugi/api-server/factory";
import { answerLater, apiVersion, bodyFields, controlVersion, group, textIn } from "../control/control-body.ts";
import { type IncidentCause, causes } from "./incident.ts";
import type { IncidentRun } from "./incident-run.ts";

/**
 * /apis/kintsugi.dev/v1alpha1/incidentchecks: POST evaluates the incident of this cluster, with or
 * without its cause (`{"cause":"node-dead"}`). GET shows the symptom.
 */
export function gymRoute(run: () => IncidentRun | undefined): BuiltInResource {
  const current = () => {
    const found = run();
    if (found === undefined) throw badRequest("no incident has begun in this cluster yet");
    return found;
  };
  return {
    type: { group, version: controlVersion, resource: "incidentchecks", namespaced: false },
    verbs: {
      list: () => jsonResponse(200, { kind: "Incident", apiVersion, status: { symptom: current().incident.symptom } }),
      create: (request) => {
        const cause = causeIn(textIn(bodyFields(request, ["cause"]), "cause"));
        const found = current();
        return answerLater(async () => ({ kind: "IncidentCheck", apiVersion, status: await found.check(cause) }));
      },
    },
  };
}

/** @throws ApiError BadRequest */
function causeIn(text: string | undefined): IncidentCause | undefined {
  if (text === undefined || Object.hasOwn(causes, text)) return text as IncidentCause | undefined;
  throw badRequest(`${JSON.stringify(text)} is not a cause; the causes are ${Object.keys(causes).join(", ")}`);
}
