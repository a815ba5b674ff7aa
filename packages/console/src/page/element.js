/**
 * A new element; text is set as text, never as markup.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Partial<Omit<HTMLElementTagNameMap[T], 'children'>>} properties @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/**
 * The element of the page with this id, of the class it must have.
 * @template {HTMLElement} E
 * @param {string} id @param {new () => E} type
 * @returns {E}
 */
export function byId(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${type.name} #${id}`);
  return found;
}
