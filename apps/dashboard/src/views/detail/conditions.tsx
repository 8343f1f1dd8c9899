interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** The conditions of an object, with their reasons. */
export function Conditions({ conditions = [] }: { conditions?: readonly Condition[] | undefined }) {
  if (conditions.length === 0) return null;
  return (
    <>
      <h3>Conditions</h3>
      <table class="conditions">
        <tbody>
          {conditions.map(({ type, status, reason = "", message = "" }) => (
            <tr key={type}>
              <th scope="row">{type}</th>
              <td>{status}</td>
              <td>
                {reason}
                {message !== "" && <div class="muted">{message}</div>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
