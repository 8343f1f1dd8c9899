import type { KubeletDialer } from "../kubelet/kubelet-dialer.ts";

/** Kubelets that answer every GET alike, and a record of the requests: "n1 10.1.0.2:10250/pods". */
export function kubeletThatAnswers(status: number, text: string, contentType = "text/plain") {
  const asked: string[] = [];
  const kubeletDialer: KubeletDialer = {
    get: async (target, path) => {
      asked.push(`${target.nodeName} ${target.address}:${target.port}${path}`);
      return { status, contentType, body: [Buffer.from(text)] as unknown as AsyncIterable<Uint8Array> };
    },
    upgrade: () => Promise.reject(new Error("not asked for")),
  };
  return { asked, kubeletDialer };
}
