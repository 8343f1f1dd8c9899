import "./problems.css";
import type { DashboardPage } from "../state/page.ts";

/** Lists the kinds that could not be read, and what the user can do about that. */
export function Problems({ page, namespace }: { page: DashboardPage; namespace: string }) {
  const { value: problems } = page.cluster.problems;
  const pods = problems.get("pods");
  const others = [...problems].filter(([kind]) => kind !== "pods" && kind !== "timeline").map(([kind]) => kind);
  if (problems.size === 0) return null;
  return (
    <section class="problems" aria-label="Limits of this view" role="status">
      {pods !== undefined && pods.code !== 403 && <p>The pods cannot be read: {pods.message}. The page tries again.</p>}
      {pods?.code === 403 && (
        <form method="get">
          <p>
            You may not list the pods {namespace === "" ? "of all namespaces" : `of the namespace ${namespace}`}. Enter
            a namespace whose pods you may list.
          </p>
          <label>
            Namespace <input name="namespace" required maxLength={63} value={namespace} autocomplete="off" />
          </label>
          <button type="submit">Show</button>
        </form>
      )}
      {problems.has("timeline") && (
        <p>The server's history cannot be read with your rights, so the past begins where the objects show it.</p>
      )}
      {others.length > 0 && (
        <details>
          <summary>
            {others.length} {others.length === 1 ? "kind" : "kinds"} cannot be read
          </summary>
          <ul>
            {others.map((kind) => (
              <li key={kind}>
                {kind}: {problems.get(kind)?.message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
