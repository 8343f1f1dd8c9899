import type { KubeletDialer } from "../kubelet/kubelet-dialer.ts";

/**
 * Kubelets that give every request the same answer, and a record of the requests: "n1
 * 10.1.0.2:10250/pods", and for methods other than GET the method before it and the body after it.
 */
export function kubeletThatAnswers(status: number, text: string, contentType = "text/plain") {
  const asked: string[] = [];
  const answer = () => ({ status, contentType, body: [Buffer.from(text)] as unknown as AsyncIterable<Uint8Array> });
  const kubeletDialer: KubeletDialer = {
    get: async (target, path) => {
      asked.push(`${target.nodeName} ${target.address}:${target.port}${path}`);
      return answer();
    },
    send: async (target, { method, path, body }) => {
      const sent = body instanceof Uint8Array ? ` ${Buffer.from(body).toString("utf8")}` : "";
      const word = method === "GET" ? "" : `${method} `;
      asked.push(`${word}${target.nodeName} ${target.address}:${target.port}${path}${sent}`);
      return answer();
    },
    upgrade: async (target, { method, path }) => {
      asked.push(`${method} ${target.nodeName} ${target.address}:${target.port}${path} upgraded`);
      return { upgraded: false, response: answer() };
    },
  };
  return { asked, kubeletDialer };
}
