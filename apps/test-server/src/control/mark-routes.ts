import { badRequest, formatTimestamp } from "@kintsugi/api";
import { type BuiltInResource, jsonResponse } from "@kintsugi/api-server/factory";
import type { StoreMark, Marks } from "../marks/marks.ts";
import { answerLater, apiVersion, bodyFields, group, textIn, controlVersion } from "./control-body.ts";

/**
 * /apis/kintsugi.dev/v1alpha1/marks: GET lists the marks, POST creates a mark (`{"name":"start"}`),
 * DELETE removes a mark. POST /apis/kintsugi.dev/v1alpha1/resets restores all objects
 * (`{"mark":"start"}`).
 */
export function markRoutes(marks: Marks): BuiltInResource[] {
  return [
    {
      type: { group, version: controlVersion, resource: "marks", namespaced: false },
      verbs: {
        list: () =>
          jsonResponse(200, { kind: "MarkList", apiVersion, metadata: {}, items: marks.list().map(markObject) }),
        create: (request) => jsonResponse(201, markObject(marks.mark(textIn(bodyFields(request, ["name"]), "name")))),
        delete: (_request, { name }) => {
          marks.remove(name);
          return jsonResponse(200, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" });
        },
      },
    },
    {
      type: { group, version: controlVersion, resource: "resets", namespaced: false },
      verbs: {
        create: (request) => {
          const mark = textIn(bodyFields(request, ["mark"]), "mark");
          if (mark === undefined) throw badRequest('mark is required, such as {"mark":"start"}');
          marks.assertReady(mark);
          return answerLater(async () => {
            const status = await marks.reset(mark);
            return { kind: "Reset", apiVersion, metadata: {}, spec: { mark }, status };
          });
        },
      },
    },
  ];
}

function markObject({ name, revision, atMs, objects }: StoreMark): object {
  return { kind: "Mark", apiVersion, metadata: { name }, status: { revision, time: formatTimestamp(atMs), objects } };
}
