import '@testing-library/jest-dom/vitest';

// jsdom has no modal dialogs; whether one is open is all that the window asks of it.
HTMLDialogElement.prototype.showModal = function () {
  this.open = true;
};
HTMLDialogElement.prototype.close = function () {
  this.open = false;
};
Element.prototype.scrollIntoView = () => undefined;
// As wide as the window opens.
window.innerWidth = 1280;
