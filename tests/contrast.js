// Every text of the page that stands out from its ground by less than 4.5 to 1, with its ratio.
(() => {
  const read = (css) => css.match(/[\d.]+/g).map(Number);
  const linear = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const light = ([red, green, blue]) => 0.2126 * linear(red / 255) + 0.7152 * linear(green / 255) + 0.0722 * linear(blue / 255);
  const ground = (element) => {
    const colour = read(getComputedStyle(element).backgroundColor);
    return colour.length < 4 || colour[3] ? colour : ground(element.parentElement);
  };
  const ratio = (element) => {
    const both = [light(read(getComputedStyle(element).color)), light(ground(element))].sort((a, b) => b - a);
    return (both[0] + 0.05) / (both[1] + 0.05);
  };
  const says = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return [...document.querySelectorAll("body *")]
    .filter((element) => element.checkVisibility() && !element.closest(".unseen, svg, script, style") && says(element))
    .map((element) => [ratio(element), `${element.tagName}.${element.className} ${element.textContent.trim().slice(0, 20)}`])
    .filter(([found]) => found < 4.5);
})()
