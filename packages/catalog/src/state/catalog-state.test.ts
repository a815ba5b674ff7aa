import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Action } from '../actions.ts';
import { decodeCheckpoint, encodeCheckpoint } from '../checkpoint/checkpoint.ts';
import type { CatalogObject, ObjectId } from '../model.ts';
import {
  add,
  after,
  asObject,
  asTablet,
  commit,
  create,
  START,
  setVector,
  table,
  tablet,
  transaction,
  vector,
} from '../testing/catalog-fixtures.ts';
import { attempts, historyOf } from '../testing/random-history.ts';
import { contentOf, dump } from '../testing/state-dump.ts';
import { admit } from './admit.ts';
import { BOOTSTRAP_DATABASE, BOOTSTRAP_SCHEMA } from './bootstrap.ts';
import { CatalogState } from './catalog-state.ts';
import { directoryOf, parentOf } from './directory.ts';

const RUNS = { numRuns: 70 };

describe('random interleavings of transactions', () => {
  test('keep all invariants', () => {
    let admitted = 0;
    let refused = 0;
    fc.assert(
      fc.property(attempts, (batches) => {
        for (const step of historyOf(batches)) {
          checkInvariants(step.after);
          admitted += step.admitted.length;
          refused += step.refused.length;
        }
      }),
      RUNS,
    );
    // A generator whose transactions all fail, or none, would show nothing.
    expect(admitted).toBeGreaterThan(200);
    expect(refused).toBeGreaterThan(200);
  });

  test('every object of the store is needed, garbage, or collected', () => {
    fc.assert(
      fc.property(attempts, (batches) => {
        const stored = new Set<string>();
        for (const { admitted, records, after: state } of historyOf(batches)) {
          for (const name of admitted.flatMap((txn) => txn.actions.flatMap(storedBy))) stored.add(name);
          for (const record of records)
            if (record.kind === 'gc_done') for (const name of record.names) stored.delete(name);
          const known = new Set([...state.objectNames(), ...[...state.tombstones()].map((t) => t.name)]);
          expect([...stored].filter((name) => !known.has(name))).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  test('no two transactions that did not see each other change the same tablet or object', () => {
    fc.assert(
      fc.property(attempts, (batches) => {
        const changes: { readonly subject: string; readonly version: number; readonly txn: string }[] = [];
        for (const step of historyOf(batches))
          for (const { idempotencyKey, readVersion, actions } of step.admitted) {
            const subjects = new Set(actions.flatMap(changedBy));
            for (const subject of subjects)
              expect(
                changes.filter(
                  (c) => c.subject === subject && c.version > readVersion && c.txn !== idempotencyKey,
                ),
              ).toEqual([]);
            for (const subject of subjects)
              changes.push({ subject, version: step.after.version, txn: idempotencyKey });
          }
      }),
      RUNS,
    );
  });

  test('the admitted state equals the state after applying the entry', () => {
    fc.assert(
      fc.property(attempts, (batches) => {
        for (const { pending, after: applied, ...step } of historyOf(batches)) {
          const { tombstones: a, ...rest } = contentOf(pending);
          const { tombstones: b, ...appliedRest } = contentOf(applied);
          expect(rest).toEqual(appliedRest);
          if (step.records.length === 0) expect(namesOf(b)).toEqual(namesOf(a));
        }
      }),
      RUNS,
    );
  });

  test('a transaction sees its own changes as they will be after the commit', () => {
    fc.assert(
      fc.property(attempts, (batches) => {
        for (const { before, admitted } of historyOf(batches)) {
          const [first] = admitted;
          if (first === undefined) continue;
          const own = before.withActions(first.actions);
          expect(own.version).toBe(before.version);
          expect(unmarked(contentOf(own))).toEqual(unmarked(contentOf(after(before, [first]))));
          if (first.actions[0]!.kind === 'drop') continue;
          const inTwo = before.withActions(first.actions.slice(0, 1)).withActions(first.actions.slice(1));
          expect(unmarked(contentOf(inTwo))).toEqual(unmarked(contentOf(own)));
        }
      }),
      RUNS,
    );
  });

  test('checkpoints equal the state after the entries, and further entries apply to them', () => {
    fc.assert(
      fc.property(attempts, fc.nat(), (batches, cut) => {
        const steps = historyOf(batches);
        const middle = cut % steps.length;
        let state = decodeCheckpoint(encodeCheckpoint(steps[middle]!.after));
        expect(encodeCheckpoint(state)).toEqual(encodeCheckpoint(steps[middle]!.after));
        for (const step of steps.slice(middle + 1)) state = after(state, step.admitted, step.records);
        expect(dump(state)).toEqual(dump(steps.at(-1)!.after));
        expect(dump(decodeCheckpoint(encodeCheckpoint(state)))).toEqual(dump(state));
      }),
      RUNS,
    );
  });
});

test('starts with a database and a schema, made at the time of the first entry', () => {
  expect(CatalogState.empty.databases()).toEqual([BOOTSTRAP_DATABASE]);
  const state = commit(CatalogState.empty);
  expect(state.database('tessera')?.createdAt).toBe('2026-01-01T00:00:00.000Z');
  expect(state.schema(BOOTSTRAP_DATABASE.id, 'public')?.id).toBe(BOOTSTRAP_SCHEMA.id);
});

test('a transaction adds tablets from before its columns to a table of an earlier statement', () => {
  const state = commit(CatalogState.empty);
  const made = state.withActions([create(table('t', { schemaVersion: 2, nextColumnId: 2 }))]);
  const filled = made.withActions([add(tablet('t', 'x', { schemaVersion: 1 }))]);
  expect(filled.tablets(asObject('t')).map(({ id }) => id)).toEqual(['x']);
});

test('knows for a day in which version a transaction was committed', () => {
  const state = after(CatalogState.empty, [transaction('q', 0, [create(table('t'))])]);
  const later = after(state, [], [], START + 23 * 3_600_000);
  expect([state, later].map((s) => s.committedVersion('q'))).toEqual([1, 1]);
  expect(admit(later, transaction('q', 0, []))).toEqual({ kind: 'committed', version: 1 });
  const next = after(later, [transaction('r', 2, [])], [], START + 25 * 3_600_000);
  expect([next.committedVersion('q'), next.committedVersion('r')]).toEqual([1, 3]);
});

test('lists by name and finds by exact name', () => {
  const state = commit(CatalogState.empty, create(table('b')), create(table('a')), create(table('B')));
  expect(state.relations(BOOTSTRAP_SCHEMA.id).map((r) => r.name)).toEqual(['B', 'a', 'b']);
  expect(state.relation(BOOTSTRAP_SCHEMA.id, 'B')?.id).toBe('B');
  expect(state.relation(BOOTSTRAP_SCHEMA.id, 'A')).toBeUndefined();
});

test('the contents version changes with tablets and vectors of the table, and only with them', () => {
  const one = commit(CatalogState.empty, create(table('t')), create(table('u')), add(tablet('t', 'a')));
  const two = commit(one, add(tablet('u', 'b')));
  expect([one, two].map((s) => s.contentsVersion(asObject('t')))).toEqual([1, 1]);
  const three = commit(two, setVector(vector('t', 'a', 1)));
  expect(three.contentsVersion(asObject('t'))).toBe(3);
  expect(three.deletionVector(asObject('t'), asTablet('a'))?.rows).toBe(1);
  expect(two.deletionVector(asObject('t'), asTablet('a'))).toBeUndefined();
});

test('every open transaction has contents versions of its own', () => {
  const base = commit(CatalogState.empty, create(table('t')), create(table('u')));
  const first = base.withActions([add(tablet('t', 'a'))]);
  const second = base.withActions([add(tablet('t', 'b'))]);
  const t = asObject('t');
  expect(new Set([base, first, second].map((s) => s.contentsVersion(t))).size).toBe(3);
  const more = first.withActions([add(tablet('u', 'c'))]);
  expect(more.contentsVersion(t)).toBe(first.contentsVersion(t));
  expect(() => base.withActions([create(table('x', { name: 't' }))])).toThrow('Table "t" already exists');
});

function checkInvariants(state: CatalogState): void {
  const { parts } = state;
  const users = new Map<string, number>();
  const listed = [...parts.directories].flatMap(([key, d]) => d.list().map((o) => [key, o] as const));
  const objects = [...parts.objects.values()].map((s) => s.object);
  const byId = ([, a]: readonly [string, CatalogObject], [, b]: readonly [string, CatalogObject]) =>
    a.id < b.id ? -1 : 1;
  expect(listed.sort(byId)).toEqual(objects.map((o) => [directoryOf(o), o] as const).sort(byId));
  for (const object of objects) {
    const parent = parentOf(object);
    if (parent !== undefined) expect(state.object(parent)).toBeDefined();
    if (object.kind === 'view')
      for (const id of object.references ?? []) expect(state.object(id)).toBeDefined();
    expect(parts.contents.has(object.id)).toBe(object.kind === 'table');
  }
  for (const [tableId, stored] of parts.contents) {
    expect(state.object(tableId as ObjectId)?.kind).toBe('table');
    const contents = stored.load();
    const tablets = contents.tablets();
    expect(new Set(tablets.map((t) => t.id)).size).toBe(tablets.length);
    for (const one of tablets) {
      expect(one.tableId).toBe(tableId);
      expect(contents.tablet(one.id)).toBe(one);
      if (one.key !== undefined) users.set(one.key, (users.get(one.key) ?? 0) + 1);
    }
    let deletedRows = 0;
    for (const [id, { vector: deleted }] of contents.vectors) {
      expect(contents.tablet(asTablet(id))?.rows).toBeGreaterThanOrEqual(deleted.rows);
      deletedRows += deleted.rows;
      if (deleted.key !== undefined) users.set(deleted.key, (users.get(deleted.key) ?? 0) + 1);
    }
    const sum = (f: (t: (typeof tablets)[number]) => number) => tablets.reduce((s, t) => s + f(t), 0);
    expect(stored.totals).toEqual({
      tablets: tablets.length,
      rows: sum((t) => t.rows),
      deletedRows,
      bytes: sum((t) => t.bytes),
      uncompressedBytes: sum((t) => t.uncompressedBytes),
    });
  }
  for (const name of users.keys())
    expect(parts.tombstones.has(name), `${name} is live and garbage`).toBe(false);
}

function namesOf(tombstones: unknown): string[] {
  return (tombstones as readonly (readonly [string, unknown])[]).map(([name]) => name);
}

function storedBy(action: Action): string[] {
  const { key } =
    action.kind === 'add_tablet' ? action.tablet : action.kind === 'set_deletion_vector' ? action.vector : {};
  return key === undefined ? [] : [key];
}

/** The keys that an action changes and that no concurrent action may change. */
function changedBy(action: Action): string[] {
  switch (action.kind) {
    case 'alter':
      return [action.object.id];
    case 'remove_tablet':
      return [`${action.tableId} ${action.tabletId}`];
    case 'set_deletion_vector':
      return [`${action.vector.tableId} ${action.vector.tabletId}`];
    default:
      return [];
  }
}

/** Versions and times left out. */
function unmarked(content: Record<string, unknown>): unknown {
  return JSON.parse(
    JSON.stringify(content, (key, value: unknown) =>
      ['createdAt', 'changedAt', 'alteredAt', 'version', 'removedAtMs'].includes(key)
        ? undefined
        : typeof value === 'number' && value < 0
          ? 0
          : value,
    ),
  );
}
