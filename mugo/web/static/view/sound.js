// The sounds of stones and captures, made with Web Audio.  The first one follows a click: browsers forbid it before.

const MAX_CAPTURES = 6;                  // stones that are heard
let context = null;
let last = null;                         // the node that was shown last
let wasOn = true;                        // whether there was sound before

/** A stone on wood: a short burst of noise through a resonance.  delay: seconds; weight: 1 for a move. */
function playClick(delay = 0, weight = 1) {
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();               // browsers allow it after a click or a key
  const start = context.currentTime + delay;
  const noise = context.createBuffer(1, Math.round(0.09 * context.sampleRate), context.sampleRate);
  const samples = noise.getChannelData(0);
  for (let i = 0; i < samples.length; i++) samples[i] = (2 * Math.random() - 1) * Math.exp(-i / (0.011 * context.sampleRate));
  const source = new AudioBufferSourceNode(context, { buffer: noise });
  const wood = new BiquadFilterNode(context, { type: "bandpass", frequency: (weight === 1 ? 1250 : 2300) * (0.96 + 0.08 * Math.random()), Q: 5 });
  source.connect(wood).connect(new GainNode(context, { gain: 2.2 * weight })).connect(context.destination);
  source.start(start);
}

/** A node is shown: its move is heard if it is the next one after the node shown before.  Sound that is switched on is heard. */
export function hear({ game: { node }, settings, isStart }) {
  if (settings.sound && !wasOn) playClick();
  wasOn = settings.sound;
  if (node === last || !node.position) return;
  const before = last;
  last = node;
  if (!settings.sound || isStart || navigator.userActivation?.hasBeenActive === false || !node.move || node.parent !== before || node.move.endsWith("pass") || node.illegal) return;
  playClick();
  const colour = node.move[0];
  const captured = (node.position.captures?.[colour] ?? 0) - (before.position?.captures?.[colour] ?? 0);
  for (let i = 0; i < Math.min(captured, MAX_CAPTURES); i++) playClick(0.13 + 0.055 * i, 0.45);
}
