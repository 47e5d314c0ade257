"""Three small networks with inputs, and the axes that an export leaves open."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o)
        self.c2, self.b2 = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)
        self.down = nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o)) if stride != 1 else None

    def forward(self, x):
        y = self.b2(self.c2(F.relu(self.b1(self.c1(x)))))
        return F.relu(y + (self.down(x) if self.down else x))


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(3, 8, 7, 2, 3), nn.BatchNorm2d(8)
        self.blocks, self.head = nn.Sequential(Block(8, 8, 1), Block(8, 16, 2)), nn.Linear(16, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.stem(x))), 3, 2, 1)
        return self.head(torch.flatten(F.adaptive_avg_pool2d(self.blocks(x), 1), 1))


class Transformer(nn.Module):
    def __init__(self, d=32, heads=4):
        super().__init__()
        self.heads, self.embedding = heads, nn.Embedding(50, d)
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.n1, self.n2, self.f1, self.f2 = nn.LayerNorm(d), nn.LayerNorm(d), nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, ids):
        x = self.embedding(ids)
        batch, length, d = x.shape
        n = self.n1(x)
        q, k, v = (f(n).view(batch, length, self.heads, d // self.heads).transpose(1, 2) for f in (self.q, self.k, self.v))
        a = torch.softmax(q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5, -1) @ v
        x = x + self.o(a.transpose(1, 2).reshape(batch, length, d))
        return x + self.f2(F.gelu(self.f1(self.n2(x))))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        block = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, 1, 1), nn.BatchNorm2d(o), nn.SiLU())
        self.a, self.b, self.c, self.head = block(1, 4), block(4, 8), block(8, 4), nn.Conv2d(4, 2, 1)
        self.up = nn.ConvTranspose2d(8, 4, 2, 2)

    def forward(self, x):
        a = self.a(x)
        b = self.b(F.max_pool2d(a, 2))
        y = torch.sigmoid(self.head(self.c(torch.cat([a, self.up(b)], 1))))
        return y, F.interpolate(b, scale_factor=2.0, mode="nearest")


networks = {
    "residual": (Residual(), torch.randn(1, 3, 32, 32), {"x": {0: "batch"}}),
    "transformer": (Transformer(), torch.randint(0, 50, (2, 7)), {"x": {0: "batch", 1: "length"}}),
    "unet": (UNet(), torch.randn(1, 1, 16, 16), None),
}
for model, _, _ in networks.values():
    model.eval()
    for part in model.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.running_mean.normal_(0, 0.3)
            part.running_var.uniform_(0.5, 2)
