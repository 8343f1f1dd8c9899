import { expect, test } from "vitest";
import { sourceFiles, workspaces } from "./source-files.ts";

/**
 * The files of services that call `JSON.parse` themselves, with the reason why the text does not
 * need a limit there. All other texts are parsed by `parseForeignJson`, which limits their depth
 * and their values, because megabytes of brackets block a process for seconds.
 */
const readers: Readonly<Record<string, string>> = {
  "packages/api/src/parsing/json-budget.ts": "parses within the limits",
  "packages/api/src/kinds/autoscaling/horizontal-pod-autoscaler-v1/metric-conversion.ts": "copies a value",
  "packages/client/src/informer/change-applier.ts": "objects that the API server checked",
  "packages/client/src/rest/exchange.ts": "answers of the API server; foreign ones have limits",
  "packages/client/src/rest/json-frames.ts": "events of the API server, 8 MiB each",
  "packages/cloud/src/containers/container-cloud.ts": "output of the container runtime's program",
  "packages/cloud/src/transport/cloud-client.ts": "answers of the lab's own cloud",
  "packages/cloud/src/transport/serve-cloud.ts": "requests of the lab's own programs",
  "packages/cri/src/wire/cdi-support.ts": "the runtime's own state",
  "packages/daemon/src/files/read-json.ts": "a file of the program itself",
  "packages/etcd/src/layout.ts": "records of the store",
  "packages/rehearsal/src/model/revisions.ts": "copies a value",
  "packages/rehearsal/src/source/read-documents.ts": "a file of the command's own user, limited in size",
  "packages/store/src/log/base-record.ts": "records of the store",
  "packages/store/src/log/head.ts": "records of the store",
  "packages/store/src/log/record.ts": "records of the store",
  "packages/store/src/snapshot/snapshot-format.ts": "records of the store",
  "packages/watch-stream/src/envelope.ts": "messages of the API server",
  "apps/api-server/src/admission/matching/shown-object.ts": "copies a value",
  "apps/api-server/src/answers/continue-token.ts": "a part of a URL, 256 KiB with all headers",
  "apps/api-server/src/answers/encoded-answer.ts": "an answer of this server",
  "apps/api-server/src/audit/audited-request.ts": "an answer of this server",
  "apps/api-server/src/audit/recorded-object.ts": "an answer of this server",
  "apps/api-server/src/authorization/create-authorizer.ts": "a stored object",
  "apps/api-server/src/fields/set-algebra.ts": "a step of a field set that was checked",
  "apps/api-server/src/http/json-body.ts": "parses within the limits of a body",
  "apps/api-server/src/http/yaml-body.ts": "parses within the limits of a body",
  "apps/api-server/src/protobuf/decode-value.ts": "parses within the limits of a body",
  "apps/api-server/src/resources/encoding.ts": "a stored object",
  "apps/api-server/src/storage/record-file.ts": "a file of this server",
  "apps/api-server/src/timeline/file-timeline-log.ts": "a file of this server",
  "apps/api-server/src/transport/workers/frame.ts": "messages between processes of this server",
  "apps/api-server/src/watch/converted-events.ts": "events of this server",
  "apps/controller-manager/src/controllers/certificates/api-server-names.ts": "a word of an option",
  "apps/controller-manager/src/shared/revision-history/revision-data.ts": "copies a value",
  "apps/kubelet/src/containers/devices/cdi/cdi-spec.ts": "a file that root writes",
  "apps/kubelet/src/containers/devices/claim-records.ts": "a file of the kubelet",
  "apps/kubelet/src/containers/volumes/claims/claim-records.ts": "a file of the kubelet",
  "apps/kubelet/src/containers/volumes/csi/csi-records.ts": "a file of the kubelet",
  "apps/kubelet/src/pods/admission/pod-resizes.ts": "a file of the kubelet",
  "apps/proxy/src/pod-ports/pod-port.ts": "a file that CNI's programs write as root, of 4 MiB at most",
  "apps/proxy/src/nft/system-nft.ts": "output of nft",
  "apps/cloud-lab/src/host/groups-file.ts": "a file of the lab",
};

/** Programs that a user runs: commands, pages, labs and simulations. */
const ofUsers = new Set([
  "apps/cli",
  "apps/dashboard",
  "apps/hollow",
  "apps/playground",
  "apps/simulator",
  "apps/test-server",
  "packages/lab",
  "packages/simulation",
]);

test("text of another program is parsed within limits", () => {
  const found = workspaces()
    .filter((workspace) => !ofUsers.has(workspace))
    .flatMap((workspace) => sourceFiles(`${workspace}/src`))
    .filter(({ path }) => !path.endsWith(".test.ts") && !path.includes("/testing/"))
    .filter(({ text }) => text.includes("JSON.parse("))
    .map(({ path }) => path);
  expect(found.toSorted()).toEqual(Object.keys(readers).toSorted());
});
