import type { ApiError, FieldError } from './outcome.ts';

/** What is not there, or not visible. */
export const NOT_FOUND: ApiError = { status: 404, type: 'NOT_FOUND', message: 'Not Found' };

/** A person without the right. */
export const NOT_ALLOWED: ApiError = {
  status: 403,
  type: 'FORBIDDEN',
  message: 'Must have admin rights to Repository.',
};

/** A locked conversation takes comments from collaborators only. */
export const LOCKED: ApiError = {
  status: 403,
  type: 'FORBIDDEN',
  message: 'Unable to create comment because issue is locked.',
};

/** The same for reviews, and for their comments one by one (marcusquinn/aidevops#30280). */
export const LOCK_PREVENTS_REVIEW = 'lock prevents review';

/** Longest body of a comment or review, in characters. */
export const MAX_BODY = 65_536;

/** A 422 with a sentence of its own. */
export function unprocessable(message: string, errors?: readonly (string | FieldError)[]): ApiError {
  return { status: 422, type: 'UNPROCESSABLE', message, ...(errors === undefined ? {} : { errors }) };
}

/** A 422 in the shape of the reviews endpoint: sentences. */
export function unprocessableEntity(...sentences: readonly string[]): ApiError {
  return unprocessable('Unprocessable Entity', sentences);
}

/** A 422 in the shape of most endpoints: fields with codes. */
export function validationFailed(...errors: readonly FieldError[]): ApiError {
  return unprocessable('Validation Failed', errors);
}

/** Why a body cannot be stored, or undefined. */
export function bodyProblem(resource: string, body: string): ApiError | undefined {
  if (body.trim() === '') {
    return validationFailed({ resource, code: 'unprocessable', field: 'data', message: 'Body cannot be blank' });
  }
  if (body.length <= MAX_BODY) return undefined;
  const message = `body is too long (maximum is ${MAX_BODY} characters)`;
  return validationFailed({ resource, code: 'custom', field: 'body', message });
}

/** GraphQL's answer to a node id nobody has. */
export function unknownNode(id: string): ApiError {
  return { ...NOT_FOUND, message: `Could not resolve to a node with the global id of '${id}'` };
}
