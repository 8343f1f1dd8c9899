import { afterAll, beforeAll, expect, test } from "vitest";
import { newestKubectl, sayWhyNot, whyNoKubectlCluster } from "../../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";
import { type RunningKubectl, startKubectl } from "../../support/running-kubectl.ts";

// Web servers of pods, reached through the API server: kubectl get --raw, and kubectl proxy with a
// client without Kubernetes support.

const kubectl = newestKubectl();
const lacking = whyNoKubectlCluster();
sayWhyNot("proxies of pods and Services", lacking);

// The server reads the whole body before it answers, because a Go server, such as kubectl proxy,
// drops the unsent part of an HTTP/1.1 client's body once an answer begins.
const echo = String.raw`body=$(cat); printf 'content-type: text/plain\r\n\r\n'; echo "$REQUEST_METHOD $QUERY_STRING"; printf %s "$body"`;

/**
 * One server runs on each node, so that one of them is not on the API server's side of any bridge.
 */
const web = (name: string, node: string) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {app: web}}
spec:
  nodeName: ${node}
  terminationGracePeriodSeconds: 0
  containers:
  - name: web
    image: busybox:1
    ports: [{name: http, containerPort: 8080}]
    command:
    - sh
    - -c
    - |
      mkdir -p /www/cgi-bin /www/docs
      echo '<a href="/docs/">${name}</a>' > /www/index.html
      echo 'pages of ${name}' > /www/docs/index.html
      { echo '#!/bin/sh'; cat <<'END'
      ${echo}
      END
      } > /www/cgi-bin/echo
      chmod +x /www/cgi-bin/echo
      exec httpd -f -p 8080 -h /www
`;

const service = `apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{name: http, port: 80, targetPort: http}]
`;

const pod = (name: string) => `/api/v1/namespaces/default/pods/${name}/proxy`;
const webService = "/api/v1/namespaces/default/services/web:http/proxy";

let cluster: LabCluster;
let proxy: RunningKubectl;
let url: string;

if (lacking === undefined) {
  beforeAll(async () => {
    cluster = await startLabCluster({ name: "proxies", nodes: 2 });
    await cluster.apply([web("web-1", "node-1"), web("web-2", "node-2"), service].join("---\n"));
    await cluster.kubectl("wait", "pod", "-l", "app=web", "--for=condition=Ready", "--timeout=60s");
    proxy = startKubectl({ program: kubectl ?? "", kubeconfig: cluster.kubeconfig }, "proxy --port=0");
    url = await eventually("kubectl proxy serves", async () => {
      const [, address] = /Starting to serve on (\S+)/.exec(proxy.output()) ?? [];
      return address === undefined ? undefined : `http://${address}`;
    });
    await eventually("both pods stand behind the Service", async () => {
      const { stdout } = await cluster.tryKubectl([
        "get",
        "endpoints",
        "web",
        "-o",
        "jsonpath={.subsets[*].addresses[*].ip}",
      ]);
      return stdout.split(" ").length === 2 ? true : undefined;
    });
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });
}

test.skipIf(lacking !== undefined)(
  "kubectl get --raw reads a page of a pod on each node, with its links rewritten",
  async () => {
    for (const name of ["web-1", "web-2"]) {
      expect(await cluster.kubectl("get", "--raw", `${pod(name)}/`)).toContain(
        `<a href="${pod(name)}/docs/">${name}</a>`,
      );
      expect(await cluster.kubectl("get", "--raw", `${pod(`http:${name}:8080`)}/docs/`)).toContain(`pages of ${name}`);
    }
  },
);

test.skipIf(lacking !== undefined)("a Service's pages are served by any of its pods", async () => {
  const seen = new Set<string>();
  for (let i = 0; i < 40 && seen.size < 2; i++) {
    const page = await (await fetch(`${url}${webService}/docs/`)).text();
    seen.add(page.trim());
  }
  expect(seen).toEqual(new Set(["pages of web-1", "pages of web-2"]));
});

test.skipIf(lacking !== undefined)(
  "kubectl proxy leads a browser to a pod: redirects, links, methods and bodies",
  async () => {
    // The path lacks its trailing slash, so the reader is redirected to the path with the slash,
    // and continues from there by a link.
    const first = await fetch(`${url}${pod("web-2")}`);
    expect([first.status, first.url]).toEqual([200, `${url}${pod("web-2")}/`]);
    const [, link = ""] = /href="([^"]*)"/.exec(await first.text()) ?? [];
    expect(await (await fetch(`${url}${link}`)).text()).toBe("pages of web-2\n");
    // httpd itself redirects if a directory has no trailing slash.
    const moved = await fetch(`${url}${pod("web-2")}/docs`);
    expect([moved.status, await moved.text()]).toEqual([200, "pages of web-2\n"]);
    const body = "x".repeat(100_000);
    const posted = await fetch(`${url}${pod("web-2")}/cgi-bin/echo?a=b%2Fc`, { method: "POST", body });
    expect(await posted.text()).toBe(`POST a=b%2Fc\n${body}`);
  },
);

test.skipIf(lacking !== undefined)("a missing backend is reported", async () => {
  const messageOf = async (path: string) => {
    const { status, json } = await fetch(`${url}${path}`).then(async (answer) => ({
      status: answer.status,
      json: (await answer.json()) as { message: string },
    }));
    return [status, json.message];
  };
  expect(await messageOf(`${pod("web-1:9")}/`)).toEqual([
    503,
    expect.stringContaining("error trying to reach service"),
  ]);
  expect(await messageOf("/api/v1/namespaces/default/services/web:81/proxy/")).toEqual([
    503,
    'no service port 81 found for service "web"',
  ]);
});
