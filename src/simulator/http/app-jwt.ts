import { verify } from 'node:crypto';
import { isRecord, parseJson } from '../../trust.ts';
import type { App } from '../world/state.ts';
import type { GitHubState } from './github-state.ts';

export type JwtVerdict = { readonly ok: true; readonly app: App } | { readonly ok: false; readonly message: string };

const UNREADABLE = 'A JSON web token could not be decoded';
const LIFETIME_SECONDS = 600;
/** Clocks differ by a little between machines. */
const TOLERANCE_SECONDS = 60;

/** Checks an App's JSON web token (RS256, at most ten minutes long) against its public key; `now` in milliseconds. */
export function verifyAppJwt(state: GitHubState, token: string, now: number): JwtVerdict {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const header = readPart(head);
  const payload = readPart(claims);
  if (header === undefined || payload === undefined || header['alg'] !== 'RS256') return wrong(UNREADABLE);
  const app = findIssuer(state, payload['iss']);
  const key = app === undefined ? undefined : state.publicKeys.get(app.id);
  if (app === undefined || key === undefined) return wrong('Integration not found');
  const signed = verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'));
  if (!signed) return wrong(UNREADABLE);
  const problem = timeProblem(payload['iat'], payload['exp'], now / 1000);
  return problem === undefined ? { ok: true, app } : wrong(problem);
}

function readPart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(Buffer.from(part, 'base64url').toString('utf8'));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function findIssuer(state: GitHubState, issuer: unknown): App | undefined {
  return [...state.world.apps.values()].find((app) => String(issuer) === String(app.id) || issuer === app.clientId);
}

function timeProblem(issuedAt: unknown, expiresAt: unknown, now: number): string | undefined {
  if (typeof issuedAt !== 'number' || issuedAt > now + TOLERANCE_SECONDS) {
    return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
  }
  if (typeof expiresAt !== 'number' || expiresAt < now) {
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
  }
  if (
    expiresAt > now + LIFETIME_SECONDS + TOLERANCE_SECONDS ||
    expiresAt - issuedAt > LIFETIME_SECONDS + TOLERANCE_SECONDS
  ) {
    return "'Expiration time' claim ('exp') is too far in the future";
  }
  return undefined;
}

function wrong(message: string): JwtVerdict {
  return { ok: false, message };
}
