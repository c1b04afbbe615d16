//! The text form: every way of writing an operation.

#[path = "support/spec.rs"]
mod spec;

use restride::error::ErrorKind;
use restride::spec::{DType, Op, Origin, Source, Spec, Trace, parse_ops};

use spec::run;

/// Shape, strides, offset.
type Numbers = (Vec<usize>, Vec<isize>, usize);

fn numbers(text: &str) -> Numbers {
    let trace = run(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let layout = trace.layout();
    (layout.shape().to_vec(), layout.strides().to_vec(), layout.offset())
}

#[track_caller]
fn same(texts: &[&str], shape: &[usize], strides: &[isize], offset: usize) {
    for text in texts {
        assert_eq!(numbers(text), (shape.to_vec(), strides.to_vec(), offset), "{text}");
    }
}

#[test]
fn element_types_have_names_and_sizes() {
    for (name, size) in [
        ("bool", 1),
        ("u8", 1),
        ("i8", 1),
        ("u16", 2),
        ("i16", 2),
        ("f16", 2),
        ("bf16", 2),
        ("u32", 4),
        ("i32", 4),
        ("f32", 4),
        ("u64", 8),
        ("i64", 8),
        ("f64", 8),
        ("c64", 8),
        ("c128", 16),
        ("u128", 16),
        ("u8x1", 1),
        ("u8x3", 3),
        ("u8x48", 48),
    ] {
        let dtype = DType::from_name(name).unwrap();
        assert_eq!((dtype.size(), dtype.to_string()), (size, name.to_owned()));
    }
    for name in ["", "f8", "u8x", "u8x0", "u8x03", "u8x-1", "u8x+1", "u8x99999999999999999999"] {
        assert_eq!(DType::from_name(name), None, "{name}");
    }
}

#[test]
fn sources_are_dense_tensors_or_files() {
    same(&["f32[]", " f32 [ ] ", "f32[\n]"], &[], &[], 0);
    same(&["f32[3,4]", "f32[3, 4,]", " f32 [3 ,+4] "], &[3, 4], &[4, 1], 0);
    for (text, path, ops) in [
        ("a.npy", "a.npy", 0),
        ("dir/a.b.npy.T", "dir/a.b.npy", 1),
        ("a.npy[0].T", "a.npy", 2),
        ("a.npy .T", "a.npy", 1),
        ("a.npyx.npy", "a.npyx.npy", 0),
        ("\"my file [1].npy\"[0]", "my file [1].npy", 1),
        ("'a' .T", "a", 1),
        ("f32.npy.T", "f32.npy", 1),
        ("ü.npy[1]", "ü.npy", 1),
    ] {
        let spec = Spec::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(spec.source, Source::File(path.into()), "{text}");
        assert_eq!(spec.ops.len(), ops, "{text}");
    }
}

#[test]
fn arguments_are_written_as_in_python() {
    same(
        &[
            "f32[2,3,4].permute(2,0,1)",
            "f32[2,3,4].permute((2,0,1))",
            "f32[2,3,4].permute([2, 0, 1])",
            "f32[2,3,4] . permute ( 2 , -3 , 1 , )",
            "f32[2,3,4].permute(dims=(2,0,1,),)",
            "f32[2,3,4].permute(((2,0,1)))",
            "f32[2,3,4].movedim(2,0)",
            "f32[2,3,4].moveaxis(source=-1, destination=0)",
            "f32[2,3,4].movedim((2,),[0])",
        ],
        &[4, 2, 3],
        &[1, 12, 4],
        0,
    );
    same(
        &[
            "f32[3,4].T",
            "f32[3,4].mT",
            "f32[3,4].t()",
            "f32[3,4].transpose(0,1)",
            "f32[3,4].transpose(dim1=0, dim0=-1)",
            "f32[3,4].swapaxes(-1,-2)",
            "f32[3,4].swapdims(dim0=0,dim1=1)",
            "f32[3,4].rearrange('a b -> b a')",
        ],
        &[4, 3],
        &[1, 4],
        0,
    );
    same(
        &[
            "f32[3,4].narrow(1,1,2)",
            "f32[3,4].narrow(dim=1,start=1,length=2)",
            "f32[3,4].narrow(1,-3,length=2)",
            "f32[3,4].narrow(axis=1,start=1,length=2)",
            "f32[3,4][:,1:3]",
            "f32[3,4][...,1:-1:None]",
            "f32[3,4][None:None:None,1:3,]",
        ],
        &[3, 2],
        &[4, 1],
        1,
    );
    same(
        &[
            "f32[3,4].select(0,1)",
            "f32[3,4].select(dim=0, index=-2)",
            "f32[3,4][1]",
            "f32[3,4][(1)]",
        ],
        &[4],
        &[1],
        4,
    );
    same(
        &["f32[3].expand(2,3)", "f32[3].expand(size=(2,-1))", "f32[3].broadcast_to((2,3))"],
        &[2, 3],
        &[0, 1],
        0,
    );
    same(
        &["f32[2,1].squeeze()", "f32[2,1].squeeze(1)", "f32[2,1].squeeze(dim=(0,1))"],
        &[2],
        &[1],
        0,
    );
    same(&["f32[3].unsqueeze(0)", "f32[3].unsqueeze(dim=-2)", "f32[3][None]"], &[1, 3], &[3, 1], 0);
    same(&["f32[3,3].diagonal()", "f32[3,3].diagonal(0, dim1=0, dim2=1)"], &[3], &[4], 0);
    same(
        &["f32[6].unfold(0,3,2)", "f32[6].unfold(dimension=0, size=3, step=2)"],
        &[2, 3],
        &[2, 1],
        0,
    );
    same(
        &[
            "f32[9].as_strided((2,2),(4,1),1)",
            "f32[9].as_strided([2,2], stride=[4,1], storage_offset=1)",
            "f32[9][1:].as_strided((2,2),(4,1),None)",
            "f32[9][1:].as_strided(size=(2,2),stride=(4,1))",
        ],
        &[2, 2],
        &[4, 1],
        1,
    );
    same(
        &["f32[2,3].flatten()", "f32[2,3].flatten(0,-1)", "f32[2,3].flatten(end_dim=1)"],
        &[6],
        &[1],
        0,
    );
    same(
        &[
            "f32[6].unflatten(0,(2,3))",
            "f32[6].unflatten(dim=0,sizes=[2,-1])",
            "f32[6].view(2,3)",
            "f32[6].view(size=(2,-1))",
            "f32[6].reshape([2,3])",
            "f32[6].reshape(shape=(-1,3))",
            "f32[2,3].contiguous(memory_format=torch.contiguous_format)",
            "f32[2,3].clone()",
        ],
        &[2, 3],
        &[3, 1],
        0,
    );
    same(
        &[
            "f32[2,3,4,5].contiguous(memory_format=channels_last)",
            "f32[2,3,4,5].contiguous(memory_format=torch.channels_last)",
            "f32[2,3,4,5].clone(memory_format=torch.channels_last)",
            "f32[2,4,5,3].permute(0,3,1,2).clone(memory_format=torch.preserve_format)",
            "f32[2,4,5,3].permute(0,3,1,2).clone()",
        ],
        &[2, 3, 4, 5],
        &[60, 1, 15, 3],
        0,
    );
    same(
        &["f32[5].flip(0)", "f32[5].flip((0,))", "f32[5].flip(dims=[0])", "f32[5][::-1]"],
        &[5],
        &[-1],
        4,
    );
}

#[test]
fn rearrange_splits_permutes_and_merges() {
    same(
        &["f32[2,12,3].rearrange('b (h w) c -> b c h w', h=3)"],
        &[2, 3, 3, 4],
        &[36, 1, 12, 3],
        0,
    );
    same(
        &["f32[2,12,3].rearrange(\"b (h w) c -> b c h w\", h=3, w=4)"],
        &[2, 3, 3, 4],
        &[36, 1, 12, 3],
        0,
    );
    same(&["f32[2,3,4].rearrange('a ... -> ... a')"], &[3, 4, 2], &[4, 1, 12], 0);
    same(&["f32[2,3,4].rearrange('a ... -> a (...)')"], &[2, 12], &[12, 1], 0);
    same(&["f32[2,3,4].rearrange('... a b c -> (a b) c ...')"], &[6, 4], &[4, 1], 0);
    same(&["f32[2,1,3].rearrange('a 1 b -> 1 b a ()')"], &[1, 3, 2, 1], &[3, 1, 3, 3], 0);
    let copied = run("f32[2,3].rearrange('a b -> (b a)')").unwrap();
    assert!(!copied.shares_storage());
    assert_eq!(copied.order("").unwrap(), [0, 3, 1, 4, 2, 5]);
    // Space to depth: three named axes out of two.
    let text = "u8[4,6].rearrange('(h a) (w b) -> (h w) (a b)', a=2, b=3)";
    let expected =
        [0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11, 12, 13, 14, 18, 19, 20, 15, 16, 17, 21, 22, 23];
    assert_eq!(run(text).unwrap().order(text).unwrap(), expected);
}

#[test]
fn orders_lead_through_copies_to_the_source() {
    let order = |text: &str| run(text).unwrap().order(text).unwrap();
    assert_eq!(order("f32[2,3].T.reshape(-1)[1::2]"), [3, 4, 5]);
    assert_eq!(order("f32[2,3].T.contiguous().T.contiguous().flip(0)"), [3, 4, 5, 0, 1, 2]);
    assert_eq!(order("f32[2].expand(2,2).clone().as_strided((4,),(1,))"), [0, 1, 0, 1]);
    // A storage begins with every copy, and as_strided sees that one.
    assert_eq!(
        run("f32[9][:2].clone().as_strided((9,),(1,))").unwrap_err().kind,
        ErrorKind::BadIndex
    );
    let huge = "u8[1].expand(16777217)";
    assert_eq!(run(huge).unwrap().order(huge).unwrap_err().kind, ErrorKind::Unsupported);
}

#[test]
fn operations_are_quoted_without_the_spaces_between() {
    let text = " f32[3,4]  .T  [ 0 ] .view( -1 ) ";
    let trace = run(text).unwrap();
    let ops: Vec<&str> = trace.steps().iter().map(|step| step.op.as_str()).collect();
    assert_eq!(ops, [".T", "[ 0 ]", ".view( -1 )"]);
    assert_eq!(&text[Spec::parse(text).unwrap().source_at], "f32[3,4]");
}

#[test]
fn a_tuple_alone_in_an_index_is_its_items() {
    let items = |text: &str| match &parse_ops(text).unwrap()[0].op {
        Op::Index(items) => items.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(items("[(0, 1)]"), items("[0, 1]"));
    assert_eq!(items("[(0, None,) ]"), items("[0, None]"));
    assert_eq!(items("[()]"), []);
    for gathers in ["[[0, 1]]", "[([0, 1])]", "[(0, 1),]", "[0, (0, 1)]"] {
        assert_eq!(parse_ops(gathers).unwrap_err().kind, ErrorKind::Unsupported, "{gathers}");
    }
}

#[test]
fn as_strided_takes_any_offset_for_no_elements_and_the_storage_a_copy_made() {
    let layout = |text: &str| {
        let mut trace =
            Trace::start(Origin::dense(DType::from_name("f32").unwrap(), &[12]).unwrap());
        trace.apply_all(&parse_ops(text).unwrap(), text).map(|()| trace.layout().clone())
    };
    assert_eq!(layout(".as_strided((0,5),(1,1),1000)").unwrap().offset(), 1000);
    assert!(layout(".as_strided((0,),(1,),-1)").is_err());
    assert!(layout(".as_strided((1,),(1,),12)").is_err());
    // The storage is the copy's from there on.
    assert!(layout("[:3].clone().T.as_strided((3,),(1,),0)").is_ok());
    assert!(layout("[:3].clone().T.as_strided((4,),(1,),0)").is_err());
}
