import { element } from './element.js';
import { isPartName, partNameFor, partsNamedIn, readCall } from './part-names.js';

/** The attached files, each with the name its statement reads it by. */
export class FileList {
  /** @type {{ name: string, file: File, item: HTMLLIElement }[]} */
  #attached = [];

  /** @param {HTMLElement} list @param {(readCall: string) => void} insert puts the call into the statement */
  constructor(list, insert) {
    this.list = list;
    this.insert = insert;
  }

  /** Attaches a file under a free name; returns the call that reads it. @param {File} file */
  add(file) {
    const name = partNameFor(file.name, this.#names());
    const entry = { name, file, item: element('li', {}) };
    const input = element('input', { value: name, size: name.length, ariaLabel: `Name of ${file.name}` });
    input.oninput = () => {
      const valid = isPartName(input.value, this.#names(entry));
      input.setCustomValidity(valid ? '' : 'Letters, digits, "_", "." and "-"; not "sql"; no name twice');
      input.size = Math.max(input.value.length, 4);
      if (valid) entry.name = input.value;
    };
    // A name that is not one never reaches a request: the last good one comes back.
    input.onchange = () => {
      input.value = entry.name;
      input.setCustomValidity('');
      input.dispatchEvent(new Event('renamed', { bubbles: true }));
    };
    const insert = element(
      'button',
      {
        type: 'button',
        className: 'plain',
        title: 'Read it in the statement',
        onclick: () => this.insert(readCall(entry.name, file.name)),
      },
      '↥',
    );
    const remove = element(
      'button',
      {
        type: 'button',
        className: 'plain',
        ariaLabel: `Detach ${file.name}`,
        onclick: () => this.#remove(entry),
      },
      '×',
    );
    entry.item.append(input, element('small', {}, sizeText(file.size)), insert, remove);
    this.list.append(entry.item);
    this.#attached.push(entry);
    return readCall(name, file.name);
  }

  /** The files a statement names: only these travel with it. @param {string} sql */
  usedBy(sql) {
    const named = partsNamedIn(sql);
    return this.#attached.filter((entry) => named.has(entry.name)).map(({ name, file }) => ({ name, file }));
  }

  /** Shows which files the statement would take along. @param {string} sql */
  markUsed(sql) {
    const named = partsNamedIn(sql);
    for (const { name, item } of this.#attached) item.classList.toggle('unused', !named.has(name));
  }

  /** @param {{ name: string, file: File, item: HTMLLIElement }} entry */
  #remove(entry) {
    this.#attached = this.#attached.filter((other) => other !== entry);
    entry.item.remove();
  }

  /** @param {object} [except] */
  #names(except) {
    return this.#attached.filter((entry) => entry !== except).map((entry) => entry.name);
  }
}

/** @param {number} bytes */
export function sizeText(bytes) {
  const units = ['B', 'kB', 'MB', 'GB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
