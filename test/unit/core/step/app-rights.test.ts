import { describe, expect, it } from 'vitest';
import {
  missingEvents,
  missingPermissions,
  REQUIRED_PERMISSIONS,
  SUBSCRIBED_EVENTS,
} from '../../../../src/core/step/app-rights.ts';
import { interpret } from '../../../../src/core/webhooks/interpret.ts';

describe('the App’s registration', () => {
  it.each(SUBSCRIBED_EVENTS)('the event %s has a reader (O5)', (event) => {
    const app = { slug: 'countersign', botId: 99 };
    expect(interpret({ event, payload: { action: 1 }, app })).toEqual({ kind: 'ignored', reason: 'malformed' });
  });

  it('names permissions that are missing or too low; higher ones are enough (O4)', () => {
    expect(missingPermissions(REQUIRED_PERMISSIONS)).toEqual([]);
    expect(missingPermissions({ contents: 'write', issues: 'write', pull_requests: 'admin' })).toEqual([]);
    expect(missingPermissions({ contents: 'read', issues: 'read' })).toEqual([
      'contents: write',
      'pull_requests: write',
    ]);
    expect(missingPermissions({ contents: 'WRITE', pull_requests: 5 })).toEqual([
      'contents: write',
      'issues: read',
      'pull_requests: write',
    ]);
  });

  it('names events that are not subscribed (O4)', () => {
    expect(missingEvents(SUBSCRIBED_EVENTS)).toEqual([]);
    expect(missingEvents(['push', ...SUBSCRIBED_EVENTS.slice(1)])).toEqual(['issue_comment']);
  });
});
