// What can go wrong, as errors.

/** What the server refused, or could not do, with what to do about it. */
export class PraxisError extends Error {
  /** kind is the sort of fault ("not_found"), code names it more closely where a program may
   * want to branch on it, and remedy is a sentence that says what to do next. */
  constructor(message, { kind = "internal", code = "", remedy = "", data = {}, status = 0, requestId = "", retryAfter, result, cause } = {}) {
    super(remedy ? `${message}. ${remedy}` : message, cause === undefined ? undefined : { cause });
    this.name = "PraxisError";
    Object.assign(this, { detail: message, kind, code, remedy, data, status, requestId, retryAfter, result });
  }
}

/** Code did not come to its end, where that was expected. */
export class CodeError extends Error {
  constructor(result) {
    super(result.error?.traceback || result.raw.message || result.status);
    this.name = "CodeError";
    this.result = result;
  }
}

const statuses = { 400: "invalid", 401: "denied", 403: "denied", 404: "not_found", 409: "conflict", 429: "exhausted", 502: "unavailable", 503: "unavailable", 504: "unavailable" };

const text = (value) => (typeof value === "string" ? value : "");
const object = (value) => (typeof value === "object" && value !== null && !Array.isArray(value) ? value : {});

/** The error of a fault that stands in a result. */
export function errorOfFault(fault, result) {
  return new PraxisError(text(fault.message), { kind: text(fault.kind) || "internal", code: text(fault.code), remedy: text(fault.remedy), data: object(fault.data), result });
}

/** The error of an answer that is no success. What is no problem of the server's own, such as
 * the page of a proxy, is worded from its status. */
export function errorOfAnswer(status, headers, body) {
  let problem = {};
  try {
    problem = object(JSON.parse(body));
  } catch {
    // it is worded below
  }
  const after = Number.parseFloat(headers.get("Retry-After") ?? "");
  return new PraxisError(text(problem.detail) || `cannot do this: the server answered with status ${status}`, {
    kind: text(problem.kind) || statuses[status] || "internal",
    code: text(problem.code),
    remedy: text(problem.remedy),
    data: object(problem.data),
    status,
    requestId: headers.get("X-Request-Id") ?? "",
    retryAfter: Number.isNaN(after) ? undefined : after,
  });
}
