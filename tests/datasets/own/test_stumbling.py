"""What users of such tools stumble over, each with the words they get to read."""

from __future__ import annotations

import os
import time

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from torch_geometric.data import Data, HeteroData

from tests.datasets.own.writers import zipped
from wgnn_core.datasets import own
from wgnn_core.errors import WGNNError

NODES = "id,label,f\n" + "".join(f"n{i},{'ab'[i % 2]},{i}\n" for i in range(12))
EDGES = "source,target\nn0,n1\nn1,n2\n"
FEW = own.Choices(per_class=2, splits=2)


def tables(nodes: str | bytes = NODES, edges: str | bytes = EDGES, **how: str) -> own.Draft:
    contents = [t.encode() if isinstance(t, str) else t for t in (edges, nodes)]
    files = [own.File(n, c) for n, c in zip(("edges.csv", "nodes.csv"), contents, strict=True)]
    return own.read_files(files, own.Reading(**how))


def refused(*args, choices: own.Choices = FEW, **kwargs) -> str:
    with pytest.raises(WGNNError) as seen:
        tables(*args, **kwargs).preview(choices)
    assert "\n" not in str(seen.value)
    return str(seen.value)


def changes(draft: own.Draft, choices: own.Choices = FEW) -> dict[str, tuple[int, str]]:
    return {c.kind: (c.count, c.text) for c in draft.preview(choices).changes}


def test_ids_are_matched_by_name_never_by_row():
    """pyg#830: ids that are not 0..n-1 silently misaligned with features."""
    graph = tables(
        "id,label,f\n30,a,3\n10,b,1\n20,a,2\n5,b,9\n7,a,4\n8,b,5\n", "u,v\n10,30\n"
    ).graph(own.Choices(per_class=1))
    assert graph.node_names == ("30", "10", "20", "5", "7", "8")
    assert graph.edges.tolist() == [[0, 1]]
    assert graph.x.toarray().ravel().tolist() == [3, 1, 2, 9, 4, 5]


def test_edges_that_name_no_node_are_refused_with_both_sides():
    assert refused(edges="source,target\n0,1\n1,2\n") == (
        "None of the 2 edges of edges.csv joins two nodes of nodes.csv: the first edge names '0' "
        "and '1', but the ids of nodes.csv are like 'n0', 'n1', 'n2'."
    )


def test_numbers_without_a_table_of_nodes_must_be_row_numbers(tmp_path):
    np.savez(tmp_path / "g.npz", edge_index=[[10, 30], [30, 20]], y=[0, 1, 0])
    with pytest.raises(WGNNError) as seen:
        own.read(tmp_path / "g.npz")
    assert str(seen.value) == (
        "g.npz: edge 0 joins 10 and 30, but the nodes are numbered 0 to 2; ids that are not row "
        "numbers need a table of nodes."
    )


def test_attributes_that_not_every_node_has():
    """pyg#4445."""
    graph = nx.path_graph(12)
    for node in graph:
        graph.nodes[node]["class"] = "ab"[node % 2]
        if node % 3:
            graph.nodes[node]["age"] = 30 + node
    del graph.nodes[5]["class"]
    found = changes(own.read(graph))
    assert found["missing feature values"] == (4, "4 missing feature values set to 0.")
    assert found["missing labels"] == (
        1,
        "1 node without label: used for nobody's training and scored nowhere.",
    )


class Evil:
    """Unpickled, it makes a folder."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return (os.mkdir, (str(self.trace),))


def test_pt_files_with_other_classes_are_refused_never_unpickled(tmp_path):
    torch.save({"y": Evil(tmp_path / "trace")}, tmp_path / "g.pt")
    with pytest.raises(WGNNError) as seen:
        own.read(tmp_path / "g.pt")
    assert str(seen.value) == (
        "g.pt asks for posix.mkdir, which is not on the list of what a .pt file may hold (a PyG "
        "Data or a dictionary of tensors); it was not opened."
    )
    assert not (tmp_path / "trace").exists()


def test_twenty_thousand_rows_do_not_hang():
    n = 20_000
    nodes = pd.DataFrame({"id": [f"id-{i}" for i in range(n)], "label": np.arange(n) % 3})
    ends = np.random.default_rng(0).integers(0, n, (n, 2))
    edges = pd.DataFrame({"a": nodes["id"].to_numpy()[ends[:, 0]], "b": ends[:, 1]})
    edges["b"] = "id-" + edges["b"].astype("str")
    start = time.perf_counter()
    draft = tables(nodes.to_csv(index=False), edges.to_csv(index=False))
    assert draft.graph(FEW).num_nodes == n
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "g.npz",
            b"source,target\n",
            "g.npz is not .npz: it does not begin as a zip archive does.",
        ),
        (
            "edges.csv",
            zipped({"a": b""}),
            "edges.csv is a zip archive by its first bytes, not .csv.",
        ),
        ("edges.csv", b"\x80\x04N.", "edges.csv is a Python pickle by its first bytes, not .csv."),
        ("g.pt", b"\x80\x02}", "g.pt is a Python pickle by its first bytes, not .pt."),
        ("g.graphml", b"<gexf/>", "g.graphml begins with <gexf>, not with <graphml>."),
        ("g.pt", zipped({"a": b""}), "g.pt is not a file of torch.save; it lacks data.pkl."),
        ("g.gml", b"", "g.gml is empty."),
        (
            "g.xlsx",
            b"PK\x03\x04",
            "'g.xlsx' is of no known format; known are .csv, .tsv, .txt, .parquet, .graphml, "
            ".gexf, .gml, .npz, .pt, .pth, .zip.",
        ),
    ],
)
def test_a_format_is_never_guessed_wrong(name, content, message):
    with pytest.raises(WGNNError) as seen:
        own.read_files([own.File(name, content)])
    assert str(seen.value) == message


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        (
            NODES + "n3,a,1\n",
            EDGES,
            "nodes.csv: the id 'n3' stands in the rows 4 and 13; each node needs one row.",
        ),
        (NODES + ",a,1\n", EDGES, "nodes.csv: id number 13 is empty; name it."),
        (
            NODES.replace("label", "kind"),
            EDGES,
            "edges.csv and nodes.csv: no label column was recognised; choose one of the columns "
            "'kind', 'f'.",
        ),
        (
            "id,label\n" + "".join(f"{i},{i / 10}\n" for i in range(12)) + "12,0.1\n",
            "source,target\n0,1\n",
            "edges.csv and nodes.csv: the label column 'label' holds 0.1, a number that is not "
            "whole; labels are whole numbers or words.",
        ),
        ("id,label,label\na,b,c\n", EDGES, "nodes.csv has two columns 'label'; rename one."),
        (
            "words\nwords\n",
            EDGES,
            "No separator fits nodes.csv: the first line is 'words'; its cells must be separated "
            "by comma, semicolon, tab, bar or space.",
        ),
        (
            NODES + "n12,a,1,2,3\n",
            EDGES,
            "nodes.csv: row 14 has 5 cells where the first has 3, separated by comma; all rows "
            "need the same number.",
        ),
        (
            NODES.replace("n3,b,3", "n3,b,inf"),
            EDGES,
            "edges.csv and nodes.csv: the column 'f' holds an infinite value or one too large to "
            "compute with; features are finite numbers.",
        ),
        (
            "id,label\n" + "".join(f"n{i},{'a' if i else 'b'}\n" for i in range(12)),
            EDGES,
            "edges.csv and nodes.csv: the class 'b' has 1 node, but the split needs 2 of each "
            "class; choose another split or a smaller number.",
        ),
        (
            "id,label\n" + "".join(f"n{i},a\n" for i in range(12)),
            EDGES,
            "edges.csv and nodes.csv: the label column 'label' has 1 different labels; "
            "classification needs at least 2.",
        ),
        (NODES, "", "edges.csv is empty."),
        (NODES, "source,target\nn0,\n", "None of the 1 edges of edges.csv joins two nodes of"),
    ],
)
def test_broken_tables_say_where_and_what(nodes, edges, message):
    assert refused(nodes, edges).startswith(message)


def test_rows_longer_than_the_first_line_are_refused():
    rows = "".join(f"m{i},a,1\n" for i in range(60))
    text = refused(NODES + rows + "n12,a,1,2,3\n")
    assert text.startswith("nodes.csv cannot be read as a table: ")


def test_every_change_is_named_and_counted():
    edges = "source,target,weight\nn0,n1,1\nn1,n0,1\nn0,n1,2\nn2,n2,1\nn2,n99,1\nn3,n4,1\n"
    rows = [f"n{i},{'ab'[i % 2] if i < 10 else ''},{i if i else 'NA'},7,t{i}\n" for i in range(12)]
    found = changes(tables("id,label,f,same,text\n" + "".join(rows), edges))
    assert found == {
        "dangling ids": (
            1,
            "1 edge left out, because nodes.csv lacks an id that they name (first 'n99').",
        ),
        "edge columns left out": (
            1,
            "1 column of edges.csv not used, since edges carry no values: 'weight'.",
        ),
        "both directions merged": (1, "1 edge listed in both directions, merged."),
        "duplicates merged": (1, "1 repeated edge merged."),
        "self-loops removed": (1, "1 self-loop removed."),
        "isolated nodes": (8, "8 isolated nodes (kept)."),
        "missing labels": (
            2,
            "2 nodes without label: used for nobody's training and scored nowhere.",
        ),
        "columns left out": (1, "1 column not used as features: 'text'."),
        "missing feature values": (1, "1 missing feature value set to 0."),
        "constant features": (1, "1 feature with one value in all nodes (kept)."),
    }
    directed = nx.DiGraph([(0, 1), (1, 0), (1, 2), (3, 2)])
    nx.set_node_attributes(directed, {i: "ab"[i % 2] for i in range(4)}, "class")
    one_each = own.Choices(per_class=1)
    assert changes(own.read(directed), one_each)["directed made undirected"] == (
        2,
        "Directed made undirected: 2 edges had no opposite.",
    )


def test_nested_columns_of_parquet_are_left_out_and_named():
    frame = pd.DataFrame({"id": range(12), "label": list("ab") * 6, "list": [[1, 2]] * 12})
    nodes = own.File("nodes.parquet", frame.to_parquet())
    draft = own.read_files([own.File("edges.csv", b"u,v\n0,1\n"), nodes])
    assert changes(draft)["columns not read"] == (
        1,
        "1 column of nodes.parquet not read, since only numbers and text are: 'list'.",
    )


def test_encoding_and_separator_are_found_and_shown():
    nodes = NODES.replace("n0", "né").replace(",", ";")
    for encoding in ("utf-8", "cp1252", "utf-16", "utf-8-sig"):
        draft = tables(nodes.encode(encoding), EDGES.replace("n0", "né").encode(encoding))
        assert draft.content.ids[0] == "né"
        shown = dict(draft.preview(FEW).understood)
        assert (shown["nodes.csv: encoding"], shown["nodes.csv: separator"]) == (
            encoding,
            "semicolon",
        )
    assert refused(nodes.encode("cp1252"), EDGES, encoding="utf-8") == (
        "nodes.csv is not text in utf-8 (byte 12 does not fit); save it as UTF-8 or name its "
        "encoding."
    )


def test_minus_one_is_no_label_unless_it_is_one_of_two():
    y = np.array([0, 1, -1] * 4)
    data = Data(edge_index=torch.tensor([[0], [1]]), y=torch.from_numpy(y))
    graph = own.read(data).graph(FEW)
    assert (graph.y == y).all()
    two = Data(edge_index=torch.tensor([[0], [1]]), y=torch.tensor([-1, 1] * 6))
    graph = own.read(two).graph(FEW)
    assert graph.class_names == ("-1", "1")
    assert not graph.unlabelled.any()


def test_a_dataset_of_one_graph_is_read_and_one_of_several_is_refused(tmp_path):
    y = torch.tensor([0, 1] * 6)
    one = ({"edge_index": torch.tensor([[0], [1]]), "y": y}, {"y": torch.tensor([0, 12])}, Data)
    torch.save(one, tmp_path / "g.pt")
    assert own.read(tmp_path / "g.pt").graph(FEW).num_nodes == 12
    torch.save((one[0], {"y": torch.tensor([0, 5, 12])}, Data), tmp_path / "g.pt")
    with pytest.raises(WGNNError, match=r"g\.pt holds 2 graphs; one graph is needed\."):
        own.read(tmp_path / "g.pt")


def test_other_graphs_of_pyg_are_refused():
    with pytest.raises(WGNNError, match="A graph cannot be read from HeteroData"):
        own.read(HeteroData())
    with pytest.raises(WGNNError, match=r"data lacks y; it has 'edge_index'"):
        own.read(Data(edge_index=torch.tensor([[0], [1]])))
    many = Data(edge_index=torch.tensor([[0], [1]]), y=torch.zeros(4, 3))
    with pytest.raises(WGNNError, match=r"the labels have shape \(4, 3\)"):
        own.read(many)
