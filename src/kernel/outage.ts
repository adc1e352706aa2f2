// SQLSTATE classes 08 (connection), 57P (operator intervention) and 53 (resources), and errors of Node's sockets.
const CODE = /^(?:08...|57P0[123]|53[0-9]..|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)$/;
// The pg client and its pool report these without a code.
const TEXT =
  /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired|Query read timeout)/;

/** Whether a database could not be reached. A statement that it refused is no outage. */
export function isDatabaseOutage(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if ('code' in thrown && typeof thrown.code === 'string' && CODE.test(thrown.code)) return true;
  return TEXT.test(thrown.message);
}
