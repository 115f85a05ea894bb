import { generateKeyPairSync, verify } from 'node:crypto';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import type { AppPermissionLevel, AppPermissions, FakeActor, FakeApp, FakeRepository } from '../state/github-state.ts';
import { isInstalledOn } from '../state/lookup.ts';
import type { InstallationToken, ServerState } from './server-state.ts';

export type RequestIdentity =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'app'; readonly app: FakeApp }
  | { readonly kind: 'installation'; readonly app: FakeApp; readonly token: InstallationToken };

type IdentityResult =
  | { readonly ok: true; readonly identity: RequestIdentity }
  | { readonly ok: false; readonly message: string };

/**
 * Reads the `authorization` header. Invalid credentials fail with GitHub’s 401 message; without a header the caller is
 * anonymous.
 */
export function authenticate(state: ServerState, header: string | undefined, now: number): IdentityResult {
  if (header === undefined) return { ok: true, identity: { kind: 'anonymous' } };
  const secret = secretIn(header);
  if (secret.startsWith('ghs_')) return authenticateInstallation(state, secret, now);
  const result = verifyAppJwt(state, secret, now);
  return result.ok ? { ok: true, identity: { kind: 'app', app: result.app } } : result;
}

function secretIn(header: string): string {
  return header.replace(/^(bearer|token)\s+/i, '');
}

/** The installation token of a request, valid or not; undefined without one. */
export function tokenOf({ tokens }: ServerState, header: string | undefined): InstallationToken | undefined {
  return tokens.get(secretIn(header ?? ''));
}

function authenticateInstallation(state: ServerState, secret: string, now: number): IdentityResult {
  const token = state.tokens.get(secret);
  const app = token === undefined ? undefined : state.github.apps.get(token.appId);
  const installation = token === undefined ? undefined : state.github.installations.get(token.installationId);
  const isActive = installation !== undefined && installation.suspendedAt === null;
  if (token === undefined || token.expiresAt <= now || app === undefined || !isActive)
    return { ok: false, message: 'Bad credentials' };
  return { ok: true, identity: { kind: 'installation', app, token } };
}

/** The bot of the App; undefined for callers without an installation token. */
export function actorOfIdentity(identity: RequestIdentity): FakeActor | undefined {
  if (identity.kind !== 'installation') return undefined;
  return { accountId: identity.app.botId, viaAppId: identity.app.id };
}

/** Whether a token can access a repository. `not-in-token` means that the token is limited to other repositories. */
type RepositoryAccess = 'accessible' | 'not-installed' | 'not-in-token';

/** A repository is accessible if the token includes it and the App is still installed on it. */
export function repositoryAccessOf(
  state: ServerState,
  token: InstallationToken,
  repository: FakeRepository,
): RepositoryAccess {
  const isInToken = token.repositoryIds === 'all' || token.repositoryIds.includes(repository.id);
  if (!isInToken) return 'not-in-token';
  const installation = state.github.installations.get(token.installationId);
  const isInstalled = installation !== undefined && isInstalledOn(installation, repository);
  return isInstalled ? 'accessible' : 'not-installed';
}

type JwtResult = { readonly ok: true; readonly app: FakeApp } | { readonly ok: false; readonly message: string };

const UNREADABLE_JWT_MESSAGE = 'A JSON web token could not be decoded';

const MAX_JWT_SECONDS = 600;

const CLOCK_TOLERANCE_SECONDS = 60;

/** Checks an App’s JWT (RS256, at most 10 minutes) against its public key; `now` is in ms. */
function verifyAppJwt(state: ServerState, token: string, now: number): JwtResult {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const header = decodePart(head);
  const payload = decodePart(claims);
  if (header === undefined || payload === undefined || header['alg'] !== 'RS256')
    return invalidJwt(UNREADABLE_JWT_MESSAGE);
  const app = findIssuer(state, payload['iss']);
  const key = app === undefined ? undefined : state.publicKeys.get(app.id);
  if (app === undefined || key === undefined) return invalidJwt('Integration not found');
  const isSigned = verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'));
  if (!isSigned) return invalidJwt(UNREADABLE_JWT_MESSAGE);
  const problem = checkTimes(payload['iat'], payload['exp'], now / 1000);
  return problem === undefined ? { ok: true, app } : invalidJwt(problem);
}

function decodePart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(Buffer.from(part, 'base64url').toString('utf8'));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function findIssuer(state: ServerState, issuer: unknown): FakeApp | undefined {
  return [...state.github.apps.values()].find((app) => String(issuer) === String(app.id) || issuer === app.clientId);
}

function checkTimes(issuedAt: unknown, expiresAt: unknown, now: number): string | undefined {
  if (typeof issuedAt !== 'number' || issuedAt > now + CLOCK_TOLERANCE_SECONDS) {
    return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
  }
  if (typeof expiresAt !== 'number' || expiresAt < now) {
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
  }
  if (
    expiresAt > now + MAX_JWT_SECONDS + CLOCK_TOLERANCE_SECONDS ||
    expiresAt - issuedAt > MAX_JWT_SECONDS + CLOCK_TOLERANCE_SECONDS
  ) {
    return "'Expiration time' claim ('exp') is too far in the future";
  }
  return undefined;
}

function invalidJwt(message: string): JwtResult {
  return { ok: false, message };
}

/** A key pair in PEM: PKCS#8 private, SPKI public. */
type AppKeyPair = { readonly privateKeyPem: string; readonly publicKeyPem: string };

let cachedKeyPair: AppKeyPair | undefined;

/** Creating a key is slow, so all fake Apps of a process share one. */
export function getAppKey(): AppKeyPair {
  cachedKeyPair ??= generateAppKey();
  return cachedKeyPair;
}

function generateAppKey(): AppKeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    // Half of GitHub's: its keys take twice as long to sign.
    modulusLength: 1024,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return { privateKeyPem: privateKey, publicKeyPem: publicKey };
}

/**
 * The permission that a route needs. `conversation` is for the issues API: reading needs `issues` or `pull_requests`,
 * writing needs `pull_requests` on a pull request and `issues` on an issue.
 */
export type RequiredPermission =
  | { readonly kind: 'permission'; readonly name: string; readonly level: AppPermissionLevel }
  | { readonly kind: 'conversation'; readonly level: AppPermissionLevel };

const LEVEL_RANK: Readonly<Record<AppPermissionLevel, number>> = { read: 1, write: 2, admin: 3 };

/** Whether the permissions include this level or a higher one. Metadata can always be read. */
export function hasPermission(permissions: AppPermissions, name: string, level: AppPermissionLevel): boolean {
  if (name === 'metadata' && level === 'read') return true;
  const granted = permissions[name];
  return granted !== undefined && LEVEL_RANK[granted] >= LEVEL_RANK[level];
}

export function isWithinGrant(requested: AppPermissions, granted: AppPermissions): boolean {
  return Object.entries(requested).every(([name, level]) => hasPermission(granted, name, level));
}

/** Whether the conversation of a pull request or an issue can be read or written. */
export function hasConversationPermission(
  permissions: AppPermissions,
  onPull: boolean,
  level: AppPermissionLevel,
): boolean {
  const names = level === 'read' ? ['issues', 'pull_requests'] : [onPull ? 'pull_requests' : 'issues'];
  return names.some((name) => hasPermission(permissions, name, level));
}

export function needsPermission(name: string, level: AppPermissionLevel): RequiredPermission {
  return { kind: 'permission', name, level };
}

export function needsConversationPermission(level: AppPermissionLevel): RequiredPermission {
  return { kind: 'conversation', level };
}
